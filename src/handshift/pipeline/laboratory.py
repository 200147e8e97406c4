"""A laboratory's own population: a shipped network and its detectors, calibrated anew on other writers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from handshift.attribution.calibrate_linking import calibrate_linking
from handshift.calibration.calibrate_pages import calibrate
from handshift.calibration.calibrate_pairs import calibrate_pairs
from handshift.calibration.calibrate_size import calibrate_size
from handshift.calibration.calibration_data import CalibrationData
from handshift.calibration.labelled_scores import FEWEST_WRITERS
from handshift.calibration.scope_fit import FILE as SCOPE
from handshift.core.errors import HandshiftError
from handshift.core.loaders import read_json_object
from handshift.core.model_card import ModelCard
from handshift.corpus.layouts import read_corpus
from handshift.corpus.split import Stratum, WriterSplit
from handshift.detect.combination import FILE
from handshift.detect.onnx_detector import NetworkDetector
from handshift.models.shipped_models import NETWORK, ShippedModel, find_model
from handshift.pipeline.calibrate_model import DOCUMENTS, CalibratedModel, calibrate_model
from handshift.pipeline.calibration_words import CalibrationWords
from handshift.pipeline.laboratory_scope import fit_laboratory_scope

CARD, SPLIT = "card.json", "split.json"
CALIBRATION_SHARE = 0.6
"""Of the writers; the others are left for `handshift validate`."""
FEWEST_IN_ALL = 2 * FEWEST_WRITERS
"""Writers with two pages each that allow to calibrate and to validate on others."""


def calibrate_laboratory(
    model: str | None,
    data: Path,
    out: Path,
    *,
    split: Path | None = None,
    seed: int = 2026,
    **settings: Any,
) -> CalibratedModel:
    """Calibrate the network and the detectors of a model on a laboratory's own pages.

    Without a split, three fifths of the writers calibrate and the others are the test part; the split is
    saved as OUT/split.json, so that `handshift validate` measures on writers who took no part. The card says
    what the network was trained on, and under which licence, as that of the shipped model does.

    Args:
        model: Id or folder of the model that is recalibrated.
        data: The laboratory's pages: a folder of folders named by writer, or a manifest.
        out: Model folder to write.
        split: Writer split to use instead of a new one.
        seed: Of the split and of the documents that are put together.
        settings: Passed on to `calibrate_model`.

    Raises:
        HandshiftError: There are too few writers; says how many are needed.
    """
    shipped = find_model(model)
    if not (shipped.folder / NETWORK).is_file():
        raise HandshiftError(f"model {shipped.card.id} reads no words: {shipped.card.summary}")
    if split is None:
        split = out / SPLIT
        drawn = draw_split(data, seed)
        out.mkdir(parents=True, exist_ok=True)
        drawn.save(split)
    made = calibrate_model(
        shipped.folder / NETWORK, data, split, out, detectors=_networks(shipped), seed=seed, **settings
    )
    warning = _fit_scope(shipped, data, out, made, split, seed, settings)
    card = ModelCard.load(out / CARD)
    replace(card, trained_on=shipped.card.trained_on, licence=shipped.card.licence).save(out / CARD)
    return replace(made, warnings=(*made.warnings, *[warning] * bool(warning)))


def _fit_scope(
    shipped: ShippedModel,
    data: Path,
    out: Path,
    made: CalibratedModel,
    split: Path,
    seed: int,
    settings: dict[str, Any],
) -> str:
    """Fit the scope guard where the model examines pages; returns a warning, empty if there is none."""
    (out / SCOPE).unlink(missing_ok=True)  # of an earlier calibration
    corpus = read_corpus(data)
    if made.page_bounds is None or corpus.of_words:
        return ""
    parts = WriterSplit.load(split, known=corpus.writers)
    fit, warning = fit_laboratory_scope(
        shipped,
        find_model(str(out)),
        corpus,
        parts.parts[parts.calibration_part],
        seed=seed,
        threads=settings.get("threads", 1),
        progress=settings.get("progress", lambda _: None),
    )
    if fit is not None:
        fit.save(out)
    return warning


def draw_split(data: Path, seed: int) -> WriterSplit:
    """Deal the writers of a corpus out to calibration and test, those with several pages first.

    Raises:
        HandshiftError: There are too few writers to calibrate and to validate on others.
    """
    corpus = read_corpus(data)
    pages = Counter(sample.writer for sample in corpus.samples)
    if len(pages) < FEWEST_IN_ALL:
        raise HandshiftError(
            f"{data}: pages by {len(pages)} writers; a laboratory's calibration needs {FEWEST_IN_ALL}, "
            f"{FEWEST_WRITERS} to calibrate and {FEWEST_WRITERS} others to validate on, best with two pages "
            "each of different days"
        )
    share = max(CALIBRATION_SHARE, FEWEST_WRITERS / len(pages))
    share = min(share, 1 - FEWEST_WRITERS / len(pages))
    shares = {"calibration": share, "test": 1 - share}
    return WriterSplit.make(corpus.name, pages, seed, (Stratum(2, shares), Stratum(1, shares)))


def calibrate_comparison(
    model: str | None, data: Path | None, split: Path | None, out: Path, vectors: Path, *, seed: int = 2026
) -> CalibratedModel:
    """Fit the comparison of a model anew, which links hands, verifies and identifies; all else is kept.

    Args:
        model: Id or folder of the model.
        data: The corpus; None for databases embedded before, whose split lies beside them.
        split: Writer split; its calibration part is used.
        out: Folder of the model, whose comparison.json is written.
        vectors: Of the corpus or the databases by the model's network.
        seed: Of the pairs that are drawn.

    Raises:
        HandshiftError: Split or vectors do not belong to the corpus or the network.
    """
    shipped = find_model(model)
    before, network = shipped.comparison(), shipped.folder / NETWORK
    if data is None:
        source = CalibrationWords.of_databases(network, vectors, split)
    elif split is None:
        raise HandshiftError("a corpus is calibrated on with a split of its writers")
    else:
        source = CalibrationWords.of_corpus(network, data, split, words=vectors, vectors=vectors)
    table, population = source.table, before.propositions.population
    known = CalibrationData(
        table, table.vectors, source.writers, before.model, population, seed, sizes=table.size
    ).scanned
    pairs = calibrate_linking(known, calibrate_size(known, calibrate_pairs(known)))
    pairs.save(out / "comparison.json")
    longest, page = pairs.sizes[-1].calibration, shipped.context().sizes[-1].calibration
    return CalibratedModel(out, (page.lowest, page.highest), (longest.lowest, longest.highest))


def calibrate_examination(
    model: str | None,
    out: Path,
    vectors: Path,
    *,
    split: Path | None = None,
    detectors: Sequence[Path] = (),
    population: str = "",
    population_ko: str = "",
    seed: int = 2026,
    documents: int = DOCUMENTS,
    threads: int = 1,
    progress: Callable[[str], None] = lambda _: None,
) -> CalibratedModel:
    """Fit the detectors of a model and the calibration of pages anew; vectors and comparisons are kept.

    The covariances stay too, so that a comparison has the ratio it had. Operating points are of the old
    detectors: `handshift validate` measures them.

    Args:
        model: Id or folder of the model.
        out: Folder of the model, whose detectors and calibration of pages are written.
        vectors: Of several databases by the model's network, as `handshift corpus embed` left them.
        split: Writer split; the one beside the vectors if None.
        detectors: Detectors of `handshift train detect`; the model's own without any.
        population: Whom the calibration writers stand for; as before if empty.
        population_ko: The same in Korean.
        seed: Of the documents that are put together.
        documents: Documents put together for each size.
        threads: Processor threads of the networks.
        progress: Called with a line of text after each step.

    Raises:
        HandshiftError: Split or vectors do not belong to the network, or the writers do not suffice.
    """
    shipped = find_model(model)
    before, comparison, hands = shipped.context(), shipped.comparison(), shipped.hands()
    source = CalibrationWords.of_databases(shipped.folder / NETWORK, vectors, split)
    sentence = population or before.propositions.population
    known = CalibrationData(source.table, source.table.vectors, source.writers, before.model, sentence, seed)
    networks = [NetworkDetector(path, threads) for path in detectors or _networks(shipped)]
    combination, context = calibrate(
        known, networks=networks, bags=documents, covariances=shipped.covariances(), progress=progress
    )
    populations = {"ko": population_ko} if population_ko else before.propositions.populations
    context = replace(context, propositions=replace(context.propositions, populations=populations))
    combination.save(out)
    context.save(out / "context.json")
    comparison.save(out / "comparison.json")  # both name the scoring files, which changed
    hands.save(out / "hands.json")
    longest, pair = context.sizes[-1].calibration, comparison.sizes[-1].calibration
    return CalibratedModel(out, (longest.lowest, longest.highest), (pair.lowest, pair.highest))


def _networks(shipped: ShippedModel) -> list[Path]:
    """The trained detectors of a model; none where it does not examine."""
    if not (shipped.folder / FILE).is_file():
        return []
    return [shipped.folder / name for name in read_json_object(shipped.folder / FILE)["networks"]]
