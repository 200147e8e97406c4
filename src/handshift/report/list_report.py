"""The report and the record of a list of entries: groups, and ranked pairs side by side."""

from __future__ import annotations

import json

from handshift.attribution.entry_list import Entry, EntryList, EntryPair
from handshift.calibration.scope_of_pages import scope_lines
from handshift.calibration.verbal_scale import WRITERS
from handshift.core.version import __version__
from handshift.page.archive.origin import origin_of
from handshift.report.comparison_report import propositions_section
from handshift.report.csv_table import csv_table
from handshift.report.cut_out import cut_out
from handshift.report.document_report import files_of
from handshift.report.findings_record import readable
from handshift.report.page_report import signed, texts
from handshift.report.run_header import Run
from handshift.report.sheet import Picture, Section, Sheet

MOST_SHOWN = 40
"""Pairs shown side by side; JSON has the best thousand."""


def list_sheet(found: EntryList, run: Run, false_pairs: float) -> Sheet:
    """Prepare a list for display, pairs down to the rank at which so many false ones are expected.

    Args:
        found: The list.
        run: Its language and verbal scale are used.
        false_pairs: Expected number of false pairs among those shown; five pairs are shown in any case.
    """
    t = texts(run.language)
    kept = found.within(false_pairs)
    shown = found.pairs[: min(MOST_SHOWN, max(5, len(kept)))]
    head = (t["identify_rank"], t["list_entry"], t["list_entry"], "log10 LR", t["list_false"])
    return Sheet(
        kicker=t["list_title"],
        title=readable(found.entries[0].page.source.name),
        headline=t["list_headline"].format(entries=len(found.entries), pairs=len(kept)),
        sentences=(
            t["list_comparisons"].format(comparisons=f"{found.comparisons:,}", rate=f"{false_pairs:g}"),
            t["doc_prior_pair"].format(same=f"{found.same_prior:.2g}"),
        ),
        warnings=found.warnings,
        sections=(
            Section(
                t["list_groups"],
                t["list_groups_note"],
                rows=tuple(
                    (*(_picture(found.entries[at - 1], at) for at in group[:2]), ", ".join(map(str, group)))
                    for group in found.groups
                ),
                sentences=() if found.groups else (t["list_no_group"],),
            ),
            Section(
                t["list_pairs"],
                t["list_pairs_note"],
                header=head,
                rows=tuple(_row(rank, pair, found) for rank, pair in enumerate(shown, 1)),
            ),
            propositions_section(found.propositions, run),
        ),
        limits=(t["limit_casework"], t["list_limit"], t["limit_population"], t["limit_words"]),
        files=files_of(entry.page for entry in found.entries),
        scope=found.scope,
        scope_of_pages=tuple(scope_lines(found.scopes, run.language)),
    )


def _row(rank: int, pair: EntryPair, found: EntryList) -> tuple[str | Picture, ...]:
    one, two = (_picture(found.entries[number - 1], number) for number in pair.entries)
    return (str(rank), one, two, signed(pair.log10_lr), f"{pair.false_pairs:.2g}")


def _picture(entry: Entry, number: int) -> Picture:
    where = f"{number} · {readable(entry.page.source.name)}, {entry.page.number + 1}/{entry.line}"
    return Picture(cut_out(entry.page.image, entry.box), where)


def list_json(found: EntryList, case: dict[str, str]) -> str:
    """Strict JSON: entries, groups, pairs, prior and population."""
    content = {
        "handshift": __version__,
        "model": found.model,
        "population": readable(found.propositions.population),
        "one_writer": found.propositions.one_writer,
        "two_writers": found.propositions.two_writers,
        "prior_of_one_writer": found.same_prior,
        "comparisons": found.comparisons,
        "case": case,
        "scope": found.scope.record(),
        "warnings": list(found.warnings),
        "groups": [list(group) for group in found.groups],
        "pairs": [
            {
                "entries": list(pair.entries),
                "log10_lr": pair.log10_lr,
                "weight": pair.weight,
                "expected_false_pairs": pair.false_pairs,
            }
            for pair in found.pairs
        ],
        "entries": [_entry(number, entry) for number, entry in enumerate(found.entries, 1)],
    }
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def list_csv(found: EntryList, run: Run) -> str:
    """The ranked pairs as a table, both entries in one row."""
    columns = (
        "rank",
        *(f"{name}_{side}" for side in (1, 2) for name in _CELLS),
        *("log10_lr", "support", "expected_false_pairs"),
    )
    rows = (_cells(rank, pair, found, run) for rank, pair in enumerate(found.pairs, 1))
    return csv_table(columns, rows, run)


_CELLS = ("entry", "path", "origin", "page", "line")
"""Of an entry in the table; JSON has more."""


def _cells(rank: int, pair: EntryPair, found: EntryList, run: Run) -> dict[str, object]:
    entries = [_entry(number, found.entries[number - 1]) for number in pair.entries]
    return {
        "rank": rank,
        **{f"{name}_{side}": entry[name] for side, entry in enumerate(entries, 1) for name in _CELLS},
        "log10_lr": pair.log10_lr,
        "support": run.scale.support(pair.log10_lr, run.language, WRITERS),
        "expected_false_pairs": pair.false_pairs,
    }


def _entry(number: int, entry: Entry) -> dict[str, object]:
    return {
        "entry": number,
        "path": readable(entry.page.source),
        "origin": origin_of(entry.page.source),
        "sha256": entry.page.sha256,
        "page": entry.page.number + 1,
        "line": entry.line,
        "box": [int(side) for side in entry.box],
        "words": entry.words,
        "inside": entry.scope.inside,
    }
