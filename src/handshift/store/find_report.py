"""The ranked list of a search, and the clusters of an archive, as one HTML file or as plain data."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from handshift.calibration.pair_calibration import PairPropositions
from handshift.calibration.verbal_scale import Language
from handshift.report.comparison_report import pair_propositions
from handshift.report.findings_record import readable
from handshift.report.page_report import render, texts
from handshift.report.run_header import Run
from handshift.store.archive_clusters import SharedHand
from handshift.store.find_hand import FoundPages, Query
from handshift.store.page_entry import PageEntry

MOST_PICTURES = 400
"""Thumbnails of one HTML file: 4 MB."""


def query_notes(query: Query, language: Language) -> list[str]:
    """What a reader must know of the hand that was looked for: its scope, and whether it is several."""
    scope = query.scope.headline(language)
    notes = [scope] if scope else []
    if query.hand is None and len(query.hands) > 1:
        hands = ", ".join(query.hands)
        several = texts(language)["find_several"]
        notes.append(several.format(count=len(query.hands), name=readable(query.name), hands=hands))
    return notes


def find_html(found: FoundPages, store: Path | str, run: Run) -> str:
    """Render a ranked list as a self-contained file."""
    compared = texts(run.language)["find_compared"]
    return render(
        "find.html",
        run,
        query=found.query,
        notes=query_notes(found.query, run.language),
        compared=compared.format(compared=found.compared, hands=found.hands, store=store),
        pages=[{"found": page, "picture": picture(page.entry)} for page in found.pages],
        pair=pair_propositions(found.propositions, run),
    )


def clusters_html(
    groups: Sequence[SharedHand], store: Path | str, least: float, propositions: PairPropositions, run: Run
) -> str:
    """Render the clusters of an archive as a self-contained file.

    Args:
        groups: The clusters.
        store: The store, as it was named.
        least: log10 LR that every join reached.
        propositions: What that ratio compares.
        run: Its language is used.
    """
    left = MOST_PICTURES
    shown = []
    for group in groups:
        members = []
        for entry, hand in group.members:
            members.append({"entry": entry, "hand": hand, "picture": picture(entry) if left > 0 else ""})
            left -= 1
        shown.append(
            {"members": members, "pages": group.pages, "words": group.words, "weakest": group.weakest}
        )
    note = texts(run.language)["clusters_note"].format(least=f"{least:+.2f}")
    pair = pair_propositions(propositions, run)
    return render("clusters.html", run, groups=shown, store=str(store), note=note, pair=pair)


def find_record(found: FoundPages) -> dict[str, Any]:
    """The ranked list as plain data."""
    query = found.query
    name = f"{query.name}, hand {query.hand}" if query.hand else query.name
    return {
        "query": {
            "name": readable(name),
            "words": query.words,
            "hand": query.hand,
            "hands": list(query.hands),
            "scope": query.scope.record(),
        },
        "model": found.model,
        "hands_in_store": found.hands,
        "compared": found.compared,
        "propositions": asdict(found.propositions),
        "pages": [
            {
                "rank": rank,
                "path": page.entry.file,
                "origin": page.entry.origin,
                "sha256": page.entry.sha256,
                "page": page.entry.page,
                "hand": page.hand or "all hands",
                "words": page.words,
                "log10_lr": None if page.scope.withheld else page.log10_lr,
                "score": page.score,
                "inside_scope": page.scope.inside,
            }
            for rank, page in enumerate(found.pages, 1)
        ],
    }


def clusters_record(
    groups: Sequence[SharedHand], least: float, propositions: PairPropositions, model: str
) -> dict[str, Any]:
    """Clusters as plain data."""
    return {
        "model": model,
        "propositions": asdict(propositions),
        "least_log10_lr": least,
        "hands": [
            {
                "words": group.words,
                "weakest_log10_lr": group.weakest,
                "pages": [
                    {
                        "path": entry.file,
                        "origin": entry.origin,
                        "sha256": entry.sha256,
                        "page": entry.page,
                        "hand": hand,
                    }
                    for entry, hand in group.members
                ],
            }
            for group in groups
        ],
    }


def picture(entry: PageEntry) -> str:
    """The thumbnail as a data: address; empty where there is none."""
    return f"data:image/jpeg;base64,{b64encode(entry.thumbnail).decode()}" if entry.thumbnail else ""
