"""What must not be detected: another day, another scanner, a coarser picture, a darker pen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from handshift.bag.drawing import Drawer
from handshift.bag.kinds import Kind
from handshift.bag.pages import pages_of
from handshift.bag.plan import Plan
from handshift.corpus.layouts import read_corpus
from handshift.corpus.manifest import Sample
from handshift.corpus.split import WriterSplit
from handshift.detect.scoring import score_bags
from handshift.metrics import auroc, threshold_at_fpr
from handshift.models.shelf import find_model
from handshift.page.reading import read_scans
from handshift.study.task import Outcome, StudyTask
from handshift.study.tasks.page_vectors import Picture, page_vectors

Image = NDArray[np.uint8]
SHARE = 0.2
METRICS = (
    "control_auc",
    "flagged_more",
    "flagged_more_of_one_hand",
    "auc_against_single",
    "auc_against_spliced",
)


def _scaled(factor: float) -> Callable[[Image], Image]:
    way = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC

    def scaled(image: Image) -> Image:
        return np.asarray(cv2.resize(image, None, fx=factor, fy=factor, interpolation=way), np.uint8)

    return scaled


def _jpeg(image: Image) -> Image:
    coded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 60])[1]
    return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)


def _darker(image: Image) -> Image:
    return np.asarray(255 - np.minimum(255, 1.15 * (255.0 - image)), np.uint8)


def _wide_margins(image: Image) -> Image:
    side = image.shape[1] // 4
    white = (255, 255, 255)
    return np.asarray(
        cv2.copyMakeBorder(image, side, side, side, side, cv2.BORDER_CONSTANT, value=white), np.uint8
    )


def _clipped(image: Image) -> Image:
    quarter = image.shape[1] // 4
    return np.ascontiguousarray(image[:, quarter : 3 * quarter])


CONDITIONS: dict[str, Callable[[Image], Image]] = {
    "as scanned": lambda image: image,
    "100 dpi": _scaled(100 / 150),
    "200 dpi": _scaled(200 / 150),
    "300 dpi": _scaled(300 / 150),
    "JPEG 60": _jpeg,
    "darker ink": _darker,
    "wide margins": _wide_margins,
    "clipped": _clipped,
}
"""What is done to a page scanned at 150 dpi before it is examined."""


class ControlConfig(BaseModel):
    """One condition under which pages of unseen writers are examined by a model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    data: Path
    split: Path
    part: str = "test"
    model: str | None = Field(default=None, description="id or folder; the shipped one if not given")
    condition: str = Field(default="as scanned", description=", ".join(CONDITIONS))
    prompt: str = Field(default="LND", description="of the pages taken, two of each writer from two sessions")
    bags: int = Field(default=400, ge=40, description="of each kind")
    made: Path = Field(default=Path("runs/controls"), description="where vectors are kept and found")


def run(config: ControlConfig, seed: int, folder: Path) -> Outcome:
    """Pages of one writer from two sessions against pages of one session, short bags and whole pages."""
    model = find_model(config.model)
    kept = config.made / f"{model.fingerprint()[:12]}-{config.part}-{config.prompt}" / config.condition
    table = page_vectors(kept, _pictures(config), model.embedder(threads=1))
    pages, detector = pages_of(table, np.unique(table.writer).tolist()), model.detector(threads=1)
    figures = {}
    for name, words in (("14 words", 14), ("whole page", None)):
        kinds = {Kind.SINGLE: 1, Kind.SPLICED: 1, Kind.MIXED: 1}
        drawer = Drawer(pages, Plan(words, shares=(SHARE,), kinds=kinds))
        bags = drawer.draw(3 * config.bags, np.random.default_rng([seed, 2028]))
        score = score_bags(detector, table.vectors, bags).score
        by = {kind: score[bags.kind == kind.word] for kind in kinds}
        figures[name] = _figures(by)
    return Outcome(figures)


def _figures(by: dict[Kind, NDArray[np.float64]]) -> dict[str, float]:
    """Flagged more: how much oftener spliced pages pass a score than single ones.

    The score is that which one in twenty single pages passes; or, of one hand, which one in twenty pages by
    one hand passes, half of them spliced: those that the calibration's second proposition speaks of.
    """

    def told(positive: Kind, *negative: Kind) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        others = np.concatenate([by[kind] for kind in negative])
        truth = np.repeat([True, False], [by[positive].size, others.size])
        return truth, np.concatenate([by[positive], others])

    def more(*one_hand: Kind) -> float:
        threshold = threshold_at_fpr(*told(Kind.MIXED, *one_hand), 0.05)
        spliced, single = ((by[kind] >= threshold).mean() for kind in (Kind.SPLICED, Kind.SINGLE))
        return float(spliced - single)

    return {
        "control_auc": auroc(*told(Kind.SPLICED, Kind.SINGLE)),
        "flagged_more": more(Kind.SINGLE),
        "flagged_more_of_one_hand": more(Kind.SINGLE, Kind.SPLICED),
        "auc_against_single": auroc(*told(Kind.MIXED, Kind.SINGLE)),
        "auc_against_spliced": auroc(*told(Kind.MIXED, Kind.SPLICED)),
    }


def _pictures(config: ControlConfig) -> Iterator[Picture]:
    """The first page of two sessions of every writer who has them, as the condition makes them look."""
    corpus = read_corpus(config.data)
    writers = set(WriterSplit.load(config.split, known=corpus.writers).parts[config.part])

    def day(sample: Sample) -> tuple[str, int]:
        return sample.writer, sample.session or 0

    asked = [s for s in corpus.samples if s.writer in writers and s.prompt == config.prompt]
    firsts = [next(pages) for _, pages in groupby(sorted(asked, key=day), key=day)]
    for writer, pages in groupby(firsts, key=lambda sample: sample.writer):
        two = list(pages)[:2]
        for sample in two if len(two) == 2 else ():
            image = CONDITIONS[config.condition](next(iter(read_scans(sample.path))).image)
            yield Picture(sample.path.name, writer, sample.session or 0, sample.prompt or "", image)


def _fingerprint(config: ControlConfig) -> str:
    return find_model(config.model).fingerprint()[:16]


TASK = StudyTask(
    config=ControlConfig,
    run=run,
    metrics=METRICS,
    fingerprint=_fingerprint,
    lower_is_better=("control_auc", "flagged_more", "flagged_more_of_one_hand"),
)
