"""The validation protocol, from word vectors to figures, and its HTML report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from handshift.bag.pages import PageRows
from handshift.calibration.labelled_scores import FEWEST_WRITERS
from handshift.calibration.operating_points import ModelOperatingPoints, OperatingPoints
from handshift.calibration.propositions import Propositions
from handshift.core.arrays import Vectors
from handshift.core.errors import HandshiftError
from handshift.report.about_run import in_language
from handshift.report.page_report import render
from handshift.report.run_header import Run
from handshift.validation.categories import CategoryPerformance, measure_categories
from handshift.validation.hand_counts import (
    HandCounts,
    PageLinks,
    ValidatedModel,
    measure_counts,
    measure_links,
)
from handshift.validation.likelihood_ratios import SettingPerformance, measure_ratios
from handshift.validation.matrix import ValidationMatrix
from handshift.validation.plots import plots


@dataclass(frozen=True, slots=True)
class Validation:
    """All measurements, and the data they were made on."""

    model: str
    data: str
    writers: int
    pages: int
    seed: int
    propositions: Propositions
    """Of the model's calibration; its population is not the one validated on."""
    ratios: tuple[SettingPerformance, ...]
    counts: tuple[HandCounts, ...]
    links: PageLinks | None
    categories: tuple[CategoryPerformance, ...] = ()
    """Whole pages by a column of the manifest."""

    def operating_points(self) -> ModelOperatingPoints:
        """Error rates by log10 LR, over the shares that the first proposition covers."""
        covered = [one for one in self.ratios if len(one.setting.shares) > 1]
        points = [OperatingPoints.of(one.setting.name, one.words, one.known) for one in covered]
        return ModelOperatingPoints(self.data, tuple(sorted(points, key=lambda one: one.words)))

    def record(self) -> dict[str, Any]:
        """As plain data for JSON, rounded to four digits."""
        return {
            "model": self.model,
            "data": self.data,
            "writers": self.writers,
            "pages": self.pages,
            "seed": self.seed,
            "propositions": self.propositions.record(),
            "likelihood_ratios": {
                one.setting.name: {
                    "against_one_session": _figures(one.single),
                    "against_spliced": _figures(one.spliced) if one.spliced else None,
                    "against_both": _figures(one.both),
                }
                for one in self.ratios
            },
            "hands": {one.kind: _figures(one) for one in self.counts},
            "links": _figures(self.links) if self.links else None,
            "categories": {
                one.name: {"writers": one.writers, "pages": one.pages}
                | ({"against_both": _figures(one.ratios.both)} if one.ratios else {})
                for one in self.categories
            },
        }


def validate(
    pages: Sequence[PageRows],
    vectors: Vectors,
    validated: ValidatedModel,
    *,
    model: str,
    data: str,
    seed: int = 2026,
    documents: int = 600,
    shared: int = 60,
    linked: int = 5,
    category: Mapping[str, str] | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Validation:
    """Run the whole protocol on pages of writers that the model was not trained or calibrated on.

    Args:
        pages: pages of known writers as rows of `vectors`.
        vectors: (words, dimensions).
        validated: the parts of the model.
        model: name for the record.
        data: name of the collection for the record.
        seed: of all draws.
        documents: composed documents of every kind and setting.
        shared: composed pages for each kind of hand count.
        linked: documents on which page linking is measured.
        category: category of each page by its key, for results within each.
        progress: receives a line after each step.

    Raises:
        HandshiftError: there are too few writers, or no two of them wrote the same text.
    """
    writers = {page.writer for page in pages}
    require_writers(len(writers))
    ratios = []
    for one in measure_ratios(pages, vectors, validated.score, validated.calibration, documents, seed):
        ratios.append(one)
        progress(f"{one.setting.name}: Cllr {one.both.cllr.value:.3f}")
    if not ratios:
        raise HandshiftError("no two writers wrote the same text, so no documents can be composed")
    counts = measure_counts(pages, vectors, validated, shared, seed)
    progress("hands counted")
    links = measure_links(pages, vectors, validated, linked, seed)
    calibration = validated.calibration
    categories = measure_categories(
        pages, vectors, validated.score, calibration, category or {}, documents, seed
    )
    return Validation(
        model,
        data,
        len(writers),
        len(pages),
        seed,
        calibration.propositions,
        tuple(ratios),
        tuple(counts),
        links,
        tuple(categories),
    )


def _figures(measured: Any) -> dict[str, Any]:
    stored = {"estimated": "told"}  # the name in the JSON record
    return {stored.get(name, name): _rounded(value) for name, value in asdict(measured).items()}


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):  # an interval
        return {
            "value": round(value["value"], 4),
            "interval": [round(value["low"], 4), round(value["high"], 4)],
        }
    return list(value) if isinstance(value, tuple) else value


PLOTTED = ("whole page, 20 %", "14 words, 30 %")


def require_writers(writers: int) -> None:
    """Refuse so few writers that figures would say nothing of others.

    Raises:
        HandshiftError: There are fewer than ten.
    """
    if writers < FEWEST_WRITERS:
        raise HandshiftError(
            f"validation needs pages of eight words or more by at least {FEWEST_WRITERS} writers, "
            f"got {writers}: the figures would not hold for other writers"
        )


def validation_html(validation: Validation, run: Run, matrix: ValidationMatrix | None = None) -> str:
    """Render the validation, with its matrix if there is one, as one self-contained HTML file."""
    named = {one.setting.name: one for one in validation.ratios}
    said = in_language(run.language)
    drawn = {said(name): plots(named[name].known, said) for name in PLOTTED if name in named}
    return render("validation.html", run, validation=validation, plots=drawn, matrix=matrix, said=said)
