"""Model card, settings and verbal scale of a run, in the language of its report."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from handshift.calibration.verbal_scale import Language
from handshift.report.run_header import Run


@dataclass(frozen=True, slots=True)
class AboutRun:
    """Names and values as a report shows them."""

    card: tuple[tuple[str, str], ...]
    figures: tuple[tuple[str, str], ...]
    settings: tuple[tuple[str, str], ...]
    scale_source: str

    @classmethod
    def of(cls, run: Run) -> AboutRun:
        """Translate what is known: shipped models, settings and figures; a laboratory's own texts stay."""
        said = in_language(run.language)
        card = asdict(run.card) | _translations(run.language)["cards"].get(run.card.id, {})
        return cls(
            tuple(
                (_plain(said(name)), said(str(value)))
                for name, value in card.items()
                if value and name != "figures"
            ),
            tuple(
                (", ".join(_plain(said(part)) for part in path), value)
                for path, value in _flat(run.card.figures)
            ),
            tuple((said(name), said(value)) for name, value in run.settings.items()),
            said(run.scale.source),
        )


def in_language(language: Language) -> Callable[[str], str]:
    """Puts a setting, metric or name of a figure into words; what is not known stays as it is."""
    words = _translations(language)["words"]
    return lambda text: str(words.get(text, text))


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _flat(figures: dict[str, Any], under: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], str]]:
    """Flatten nested figures, named by their path."""
    rows: list[tuple[tuple[str, ...], str]] = []
    for name, value in figures.items():
        if isinstance(value, dict):
            rows += _flat(value, (*under, name))
        else:
            rows.append(((*under, name), f"{value:.4g}" if isinstance(value, float) else str(value)))
    return rows


@cache
def _translations(language: Language) -> dict[str, dict[str, Any]]:
    path = Path(__file__).with_name("texts") / f"about.{language}.json"
    content: dict[str, dict[str, Any]] = json.loads(path.read_text("utf-8"))
    return content
