"""HTML report of one scoring run: pictures, ROC curves by domain where labels are known, and a table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import jinja2
import numpy as np

from handshift import report as page_report
from handshift.calibration.verbal_scale import Language
from handshift.core.version import __version__
from handshift.healthmap.report.map_cards import cards
from handshift.healthmap.report.scored_map import ScoredMap
from handshift.healthmap.thresholds import WeakThreshold
from handshift.metrics import auroc, roc_curve, tpr_at_fpr

SIDE = 260.0  # drawing units of the ROC square
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c564b", "#7f7f7f")


@dataclass(frozen=True, slots=True)
class Separation:
    """ROC curve and figures of one domain."""

    domain: str
    colour: str
    curve: str
    """SVG points."""
    good: int
    fault: int
    auroc: float
    tpr_1: float
    tpr_5: float
    level_auroc: float
    """AUROC of the mean level, the trivial baseline."""


def separations(maps: Sequence[ScoredMap]) -> list[Separation]:
    """ROC curves of the domains that have maps of both classes."""
    known = [map_ for map_ in maps if map_.label is not None]
    found: list[Separation] = []
    for domain in sorted({map_.domain for map_ in known}):
        own = [map_ for map_ in known if map_.domain == domain]
        labels = np.array([map_.label for map_ in own])
        if len(set(labels.tolist())) < 2:
            continue
        scores = np.array([map_.score for map_ in own])
        curve = roc_curve(labels, scores)
        points = zip(curve.fpr * SIDE, SIDE - curve.tpr * SIDE, strict=True)
        found.append(
            Separation(
                domain=domain,
                colour=COLOURS[len(found) % len(COLOURS)],
                curve=" ".join(f"{x:.1f},{y:.1f}" for x, y in points),
                good=int((labels == 0).sum()),
                fault=int((labels == 1).sum()),
                auroc=auroc(labels, scores),
                tpr_1=tpr_at_fpr(labels, scores, 0.01),
                tpr_5=tpr_at_fpr(labels, scores, 0.05),
                level_auroc=auroc(labels, [float(map_.values.mean()) for map_ in own]),
            )
        )
    return found


SHOWN = 40  # maps as pictures, 20 KB each; the others are listed
LISTED = 2000


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """Settings and failures of one scoring run."""

    model: str
    started: datetime
    settings: dict[str, str] = field(default_factory=dict)
    failed: tuple[tuple[str, str], ...] = ()
    """Paths that could not be scored, each with the reason."""
    language: Language = Language.en
    weak: tuple[WeakThreshold, ...] = ()
    """Thresholds that rest on too few normal maps."""


def maps_html(maps: Sequence[ScoredMap], run: ReportedRun) -> str:
    """Render a self-contained HTML file: the maps furthest above their threshold as pictures, then a table.

    Args:
        maps: Scored maps.
        run: Settings and failures.

    Returns:
        The HTML text.
    """
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
        photographs=all(map_.photograph for map_ in ranked[:SHOWN]),
        listed=ranked[:LISTED],
        unlisted=max(len(ranked) - LISTED, 0),
        warnings=[map_ for map_ in ranked if map_.warning],
    )
