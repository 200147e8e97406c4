"""The report of an identification: the ranked candidates, and what an open gallery allows to be said."""

from __future__ import annotations

from pathlib import Path

from handshift.attribution.identification import Identification
from handshift.calibration.verbal_scale import WRITERS
from handshift.page.word import Page
from handshift.report.comparison_report import propositions_section
from handshift.report.document_report import files_of, small_picture
from handshift.report.findings_record import readable
from handshift.report.page_report import signed, texts
from handshift.report.run_header import Run
from handshift.report.sheet import Picture, Section, Sheet

MOST_CANDIDATES, MOST_PAGES = 20, 6
"""That are listed and shown; JSON has all."""


def identification_sheet(found: Identification, pages: list[Page], name: str, run: Run) -> Sheet:
    """Prepare an identification for display.

    Args:
        found: The ranked candidates.
        pages: The questioned pages, shown at the end.
        name: Of the questioned file.
        run: Its language and verbal scale are used.
    """
    t = texts(run.language)
    best = found[0]
    rows = [
        (
            str(rank),
            readable(one.name),
            signed(one.log10_lr),
            run.scale.support(one.log10_lr, run.language, WRITERS),
            f"{one.confidence:.3f}",
        )
        for rank, one in enumerate(found.candidates[:MOST_CANDIDATES], 1)
    ]
    rows.append(("", t["identify_none"].format(enrolled=found.enrolled), "", "", f"{found.none:.3f}"))
    header = ("identify_rank", "identify_name", "weight", "meaning", "identify_confidence")
    unlisted = len(found.candidates) - MOST_CANDIDATES
    named = t["identify_named"].format(name=readable(best.name))
    nobody = f"{t['identify_nobody']}; {t['identify_nearest'].format(name=readable(best.name))}"
    return Sheet(
        kicker=t["identify_title"],
        title=readable(Path(name).name),
        headline=named if found.accepted else nobody,
        sentences=(
            t["identify_threshold"].format(
                weight=signed(found.weight),
                threshold=signed(found.threshold),
                rate=f"{found.false_accepts:.2%}",
            ),
            t["identify_prior"].format(prior=f"{found.prior:.2g}"),
        ),
        warnings=found.warnings,
        sections=(
            Section(
                t["identify_ranking"],
                header=tuple(t[name] for name in header),
                rows=tuple(rows),
                sentences=(t["identify_more"].format(count=unlisted),) if unlisted > 0 else (),
            ),
            propositions_section(found.propositions, run),
            Section(t["reading"], sentences=(t["identify_reading"], t["reading_2"])),
            Section(
                t["pair_pages"],
                pictures=tuple(
                    Picture(small_picture(page.image), readable(page.source.name), 0.48)
                    for page in pages[:MOST_PAGES]
                ),
            ),
        ),
        limits=(t["limit_casework"], t["identify_limit"], t["pair_limit_session"], t["limit_population"]),
        files=files_of(pages),
        scope=found.scope,
    )
