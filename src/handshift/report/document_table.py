"""A document's hands as CSV: a row for each hand of each page, with its link to the other pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from handshift.attribution.document import Document
from handshift.attribution.hand_links import HandLink
from handshift.calibration.verbal_scale import WRITERS
from handshift.core.errors import PageError
from handshift.page.archive.origin import origin_of
from handshift.report.csv_table import csv_table
from handshift.report.findings_record import readable, status_of
from handshift.report.run_header import Run

COLUMNS = (
    *("place", "path", "origin", "page", "sha256", "status", "hand", "words"),
    *("linked", "to", "log10_lr", "bound_low", "bound_high", "support", "weak", "decided_by_others"),
    *("scope_inside", "error"),
)


def document_csv(document: Document, others: Sequence[PageError], run: Run) -> str:
    """The hands of every page, then the pages without any.

    Args:
        document: The document; `place` counts its pages from 1.
        others: Pages that are blank or could not be examined.
        run: Its language gives the verbal equivalent; model and case go into every row.
    """
    return csv_table(COLUMNS, (*_hands(document, run), *map(_other, others)), run)


def _hands(document: Document, run: Run) -> Iterator[dict[str, object]]:
    links = {(link.page, link.hand): link for link in document.links}
    for place, handed in enumerate(document.pages, 1):
        page = handed.page
        for hand in handed.present:
            link = links.get((place, hand))
            yield {
                "place": place,
                "path": readable(page.source),
                "origin": origin_of(page.source) or "",
                "page": page.number + 1,
                "sha256": page.sha256,
                "status": "examined",
                "hand": hand,
                "words": sum(one == hand for one in handed.hands),
                "scope_inside": handed.scope.inside,
                **(_link(link, run) if link else {}),
            }


def _link(link: HandLink, run: Run) -> dict[str, object]:
    if link.withheld:
        return {"linked": link.linked, "to": link.to}
    return {
        "linked": link.linked,
        "to": link.to,
        "log10_lr": link.log10_lr,
        "bound_low": link.bounds[0],
        "bound_high": link.bounds[1],
        "support": run.scale.support(link.log10_lr, run.language, WRITERS),
        "weak": link.weak,
        "decided_by_others": link.turned,
    }


def _other(error: PageError) -> dict[str, object]:
    return {
        "path": readable(error.named),
        "origin": origin_of(error.path) or "",
        "page": error.number + 1,
        "sha256": error.sha256 or "",
        "status": status_of(error),
        "error": readable(error.problem),
    }
