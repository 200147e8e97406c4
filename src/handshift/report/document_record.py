"""A document's hands as plain data: the JSON that other programs read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from handshift.attribution.document import Document, HandedPage
from handshift.attribution.hand_links import HandLink
from handshift.core.errors import PageError
from handshift.core.version import __version__
from handshift.page.archive.origin import origin_of
from handshift.page.word import Word
from handshift.report.findings_record import readable, status_of


def document_json(
    document: Document, others: Sequence[PageError] = (), case: dict[str, str] | None = None
) -> str:
    """Strict JSON, one line a page.

    Args:
        document: The document.
        others: Pages that are blank or could not be examined; listed under ``not_examined``.
        case: Case, exhibit, examiner and note, as far as given.
    """
    head = {
        "handshift": __version__,
        "model": document.model,
        "case": case or {},
        "population": document.population,
        "propositions": asdict(document.propositions) if document.propositions else None,
        "prior_of_hands": list(document.prior),
        "prior_of_one_writer": document.same_prior,
        "prior_of_writers": list(document.writers_prior),
        "writers": list(document.writers),
        "warnings": list(document.warnings),
        "scope": document.scope.record(),
        "hands": {
            hand: {"words": count, "pages": document.pages_of(hand)} for hand, count in document.hands.items()
        },
        "links": [_link(link) for link in document.links],
        "pairs": [asdict(pair) | {"turned": pair.turned} for pair in document.pairs],
        "changes": [asdict(change) for change in document.changes],
        "not_examined": [_other(error) for error in others],
    }
    rows = ",\n".join(json.dumps(_page(page), ensure_ascii=False, allow_nan=False) for page in document.pages)
    return json.dumps(head, ensure_ascii=False).removesuffix("}") + f', "pages": [\n{rows}\n]}}\n'


def _link(link: HandLink) -> dict[str, Any]:
    return asdict(link) | {"linked": link.linked, "weak": link.weak, "turned": link.turned}


def _other(error: PageError) -> dict[str, Any]:
    return {
        "path": readable(error.named),
        "origin": origin_of(error.path),
        "sha256": error.sha256,
        "page": error.number + 1,
        "status": status_of(error),
        "error": readable(error.problem),
    }


def _page(handed: HandedPage) -> dict[str, Any]:
    page = handed.page
    rows = zip(page.words, handed.hands, handed.certainty, strict=True)
    return {
        "path": readable(page.source),
        "origin": origin_of(page.source),
        "sha256": page.sha256,
        "page": page.number + 1,
        "number_of_hands": list(handed.number),
        "scope": handed.scope.record(),
        "view": page.view.record(),
        "words": [_word(word, hand, certainty) for word, hand, certainty in rows],
    }


def _word(word: Word, hand: str, certainty: float) -> dict[str, Any]:
    box = [int(side) for side in word.box]
    record: dict[str, Any] = {"box": box, "line": int(word.line), "hand": hand, "certainty": certainty}
    record["kind"] = word.kind.value
    return record if word.text is None else record | {"text": readable(word.text)}
