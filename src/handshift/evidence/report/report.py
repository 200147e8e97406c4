"""One HTML file for each page examined, and an index of the run."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import cv2
import jinja2
import numpy as np

from handshift import __version__
from handshift.evidence.record import PageRecord, readable
from handshift.evidence.report.matrix import matrix
from handshift.evidence.report.overlay import overlay
from handshift.evidence.report.standing import standing
from handshift.evidence.verdict import Verdict
from handshift.evidence.wording import Language, support, times
from handshift.models.card import ModelCard

LEGIBLE_SUSPECTS = 60  # rows of the table; a page half in another hand is better seen than listed


@dataclass(frozen=True, slots=True)
class Run:
    """What all pages of one run have in common."""

    card: ModelCard
    started: datetime
    settings: dict[str, str]
    language: Language = Language.en


@dataclass(frozen=True, slots=True)
class IndexRow:
    """One line of the index: a page's record, and the file that tells more."""

    record: PageRecord
    href: str | None


def page_html(verdict: Verdict, run: Run) -> str:
    """Render one verdict as a self-contained file."""
    drawing = overlay(verdict)
    return _render(
        "page.html",
        run,
        verdict=verdict,
        path=readable(verdict.page.source),
        name=readable(verdict.page.source.name),
        overlay=drawing,
        suspects=drawing.suspects[:LEGIBLE_SUSPECTS],
        unlisted=max(len(drawing.suspects) - LEGIBLE_SUSPECTS, 0),
        matrix=matrix(verdict),
        standing=standing(verdict),
        gauge=_gauge(verdict),
    )


def index_html(rows: Sequence[IndexRow], run: Run) -> str:
    """Render the list of all pages: those examined by falling weight, then those that failed."""
    examined = [row for row in rows if row.record["error"] is None]
    failed = [row for row in rows if row.record["error"] is not None]
    examined.sort(key=lambda row: -(row.record["log10_lr"] or 0.0))
    propositions = next((row.record["propositions"] for row in examined), None)
    return _render("index.html", run, examined=examined, failed=failed, propositions=propositions)


def texts(language: Language) -> dict[str, str]:
    """What the report says in one language, apart from findings."""
    path = Path(__file__).with_name("texts") / f"{language}.json"
    content: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return content


def _gauge(verdict: Verdict) -> float:
    """Place of the log10 LR on the bar between its bounds, in percent; even odds stand in the middle."""
    reach = max(abs(bound) for bound in verdict.bounds) or 1.0
    return round(50 + 50 * min(max(verdict.log10_lr / reach, -1.0), 1.0), 2)


def _render(template: str, run: Run, **values: Any) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    language = run.language
    return environment.get_template(template).render(
        t=texts(language),
        language=language.value,
        support=lambda log10_lr: support(log10_lr, language),
        times=times,
        run=run,
        card={name: value for name, value in asdict(run.card).items() if value and name != "figures"},
        figures=list(_flat(run.card.figures)),
        versions=_versions(),
        **values,
    )


def _flat(figures: dict[str, Any], under: str = "") -> list[tuple[str, str]]:
    """Name nested figures by their road: ``document, whole page, 30 %``."""
    rows: list[tuple[str, str]] = []
    for name, value in figures.items():
        full = f"{under}, {name}" if under else str(name)
        if isinstance(value, dict):
            rows += _flat(value, full)
        else:
            rows.append((full, f"{value:.4g}" if isinstance(value, float) else str(value)))
    return rows


def _versions() -> str:
    import onnxruntime

    parts = {
        "handshift": __version__,
        "Python": platform.python_version(),
        "numpy": np.__version__,
        "OpenCV": cv2.__version__,
        "onnxruntime": onnxruntime.__version__,
    }
    return ", ".join(f"{name} {version}" for name, version in parts.items())
