"""One HTML file for a run of scored maps."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import jinja2

from handshift import __version__
from handshift.evidence import report as page_report
from handshift.evidence.wording import Language
from handshift.healthmap.report.cards import cards
from handshift.healthmap.report.scored_map import ScoredMap
from handshift.healthmap.report.separation import SIDE, separations

SHOWN = 40  # maps as pictures, 20 KB each; the others are listed
LISTED = 2000


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """What all maps of one run have in common."""

    model: str
    started: datetime
    settings: dict[str, str] = field(default_factory=dict)
    failed: tuple[tuple[str, str], ...] = ()
    """Paths that could not be scored, each with the reason."""
    language: Language = Language.en


def maps_html(maps: Sequence[ScoredMap], run: ReportedRun) -> str:
    """Render a self-contained file: the oddest maps first, as pictures, then all of them as a list."""
    ranked = sorted(maps, key=lambda map_: map_.threshold - map_.score)
    own, shared = Path(__file__).parent, Path(page_report.__file__).parent
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([own / "templates", shared / "templates"]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("maps.html").render(
        t=json.loads((own / "texts" / f"{run.language}.json").read_text(encoding="utf-8")),
        language=run.language.value,
        run=run,
        version=__version__,
        total=len(maps),
        flagged=sum(map_.flagged for map_ in maps),
        domains=sorted(Counter(map_.domain for map_ in ranked).items()),
        separations=separations(ranked),
        side=SIDE,
        cards=cards(ranked[:SHOWN]),
        listed=ranked[:LISTED],
        unlisted=max(len(ranked) - LISTED, 0),
        warnings=[map_ for map_ in ranked if map_.warning],
    )
