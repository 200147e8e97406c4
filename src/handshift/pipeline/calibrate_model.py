"""A model folder from a trained network and writers it has not seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from handshift.attribution.calibrate_hands import calibrate_hands
from handshift.attribution.calibrate_linking import calibrate_linking
from handshift.bag.pseudo_pages import group_into_pages, holds_pages
from handshift.calibration.calibrate_pages import calibrate as calibrate_pages
from handshift.calibration.calibrate_pairs import PAGES, PICTURES, calibrate_pairs
from handshift.calibration.calibrate_size import calibrate_size
from handshift.calibration.calibration_data import CalibrationData
from handshift.calibration.page_calibration import PageCalibration
from handshift.core.atomic import write_bytes
from handshift.core.errors import HandshiftError
from handshift.detect.onnx_detector import NetworkDetector
from handshift.embedding.crops.file_contents import FileContents
from handshift.models.describe_model import CalibratedParts, card_of
from handshift.pipeline.calibration_words import CalibrationWords

Bounds = tuple[float, float]
Progress = Callable[[str], None]
DOCUMENTS = 4000
"""Documents put together for each size."""
_COMPOSED, _FEWEST_COMPOSED = 66, 9
"""Documents for each composed page of a kind on which the number of hands is calibrated: 60 by default."""


@dataclass(frozen=True, slots=True)
class CalibratedModel:
    """A model folder, and how far its likelihood ratios go."""

    folder: Path
    page_bounds: Bounds | None
    """Smallest and largest log10 LR of the longest pages; None where files were no pages."""
    pair_bounds: Bounds | None
    """Likewise for comparisons; None where too few writers have two pages."""
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        pages = f"pages {_span(self.page_bounds)}" if self.page_bounds else "no pages to examine"
        pairs = f"; comparisons {_span(self.pair_bounds)}" if self.pair_bounds else ""
        return f"{self.folder}: {pages}{pairs}"


def calibrate_model(
    network: Path,
    data: Path | None,
    split: Path | None,
    out: Path,
    *,
    words: Path | None = None,
    vectors: Path | None = None,
    cut: FileContents | None = None,
    detectors: Sequence[Path] = (),
    population: str = "",
    population_ko: str = "",
    seed: int = 2026,
    documents: int = DOCUMENTS,
    threads: int = 2,
    progress: Progress = lambda _: None,
) -> CalibratedModel:
    """Calibrate a word network, and detectors on its vectors, on the calibration writers of a split.

    Args:
        network: words.onnx of `handshift train embed`.
        data: Corpus folder or manifest; None for databases embedded before, whose split lies beside them.
        split: Writer split; its calibration part is used.
        out: Model folder to write; its name becomes the model's id.
        words: Word pictures cut before; without them the corpus is cut into OUT/words.
        vectors: Instead, their vectors by this network.
        cut: What one file of the corpus holds.
        detectors: Detectors of `handshift train detect`, combined with those that need no training.
        population: Whom the calibration writers stand for.
        population_ko: The same in Korean.
        seed: Of the documents that are put together.
        documents: Documents put together for each size; fewer make a trial quicker and bounds narrower.
        threads: Processor threads of the networks.
        progress: Called with a line of text after each step.

    Returns:
        The folder and its bounds; a warning where the model cannot compare.

    Raises:
        HandshiftError: The corpus and the split do not suffice for a model that can do anything.
    """
    if data is None:
        if vectors is None:
            raise HandshiftError("give a corpus, or the vectors of several databases with their split")
        source = CalibrationWords.of_databases(network, vectors, split)
    elif split is None:
        raise HandshiftError("a corpus is calibrated on with the split that the network was trained with")
    else:
        source = CalibrationWords.of_corpus(
            network,
            data,
            split,
            words=words or out / "words",
            vectors=vectors,
            cut=cut,
            threads=threads,
        )
    table, writers, contents = source.table, source.writers, source.contents
    warnings: list[str] = []
    if source.split.calibration_part != "calibration":
        warnings.append(f"{source.name} has no calibration part: its validation writers calibrate")
    if not population and not population_ko:
        population_ko = f"{source.name.replace(' and ', ', ')}의 보정용 필자 {len(writers)}명."
    out.mkdir(parents=True, exist_ok=True)
    pages = holds_pages(table)
    known = CalibrationData(
        table if pages else group_into_pages(table),
        table.vectors,
        writers,
        out.name,
        population or f"The {len(writers)} calibration writers of {source.name}.",
        seed,
        sizes=table.size if pages else None,
    )
    networks = [NetworkDetector(path, threads) for path in detectors]
    write_bytes(out / "words.onnx", network.read_bytes())
    page_bounds, spliced = None, False
    if pages:
        context = _calibrate_pages(known, networks, out, documents, population_ko, progress)
        longest, claim = context.sizes[-1].calibration, context.propositions.claim
        page_bounds = longest.lowest, longest.highest
        spliced = claim is not None and claim.days == 2
        warnings += [
            f"pages of about {words:g} words carry nothing here: their likelihood ratio is withheld (LR 1)"
            for words in context.withheld
        ]
    else:
        known.covariances().save(out / "covariances.npz")
    pair_bounds = None
    try:
        pair_bounds = _calibrate_pairs(known, out, pages)
    except HandshiftError as error:  # one page of each writer is enough to examine, not to compare
        if not pages:
            raise HandshiftError(
                f"this model could do nothing: it holds no pages to examine, and comparisons fail: {error}"
            ) from error
        warnings.append(f"verify and identify will not work with this model: {error}")
    names = [each.name for each in networks]
    fitted = CalibratedParts(pages, pair_bounds is not None, spliced, names, contents.value, documents)
    card_of(out.name, network, source.name, source.split, fitted).save(out / "card.json")
    return CalibratedModel(out, page_bounds, pair_bounds, tuple(warnings))


def _calibrate_pages(
    known: CalibrationData,
    networks: Sequence[NetworkDetector],
    out: Path,
    documents: int,
    population_ko: str,
    progress: Progress,
) -> PageCalibration:
    """Calibrate pages, save what they are examined with, and return the calibration."""
    combination, context = calibrate_pages(known, networks=networks, bags=documents, progress=progress)
    if population_ko:
        propositions = replace(context.propositions, populations={"ko": population_ko})
        context = replace(context, propositions=propositions)
    combination.save(out)
    context.save(out / "context.json")  # last: it holds the fingerprint of the scoring files
    each = max(_FEWEST_COMPOSED, documents // _COMPOSED)
    calibrate_hands(known.scanned, each=each, progress=progress).save(out / "hands.json")
    return context


def _calibrate_pairs(known: CalibrationData, out: Path, pages: bool) -> Bounds:
    known = known.scanned
    pairs = calibrate_pairs(known, claims=PAGES if pages else PICTURES)
    if pages:
        pairs = calibrate_linking(known, calibrate_size(known, pairs))
    pairs.save(out / "comparison.json")
    longest = pairs.sizes[-1].calibration
    return longest.lowest, longest.highest


def _span(bounds: Bounds) -> str:
    return f"log10 LR {bounds[0]:+.2f} to {bounds[1]:+.2f}"
