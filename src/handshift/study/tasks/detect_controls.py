"""Negative controls: another session, another resolution, JPEG, a darker pen, other margins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from handshift.bag.draw import Drawer
from handshift.bag.pages import pages_of
from handshift.bag.plan import Kind, Plan
from handshift.corpus.layouts import read_corpus
from handshift.corpus.manifest import Sample
from handshift.corpus.split import WriterSplit
from handshift.detect.score_bags import score_bags
from handshift.models.shipped_models import find_model
from handshift.page.scan import read_scans
from handshift.study.task import Outcome, StudyTask
from handshift.study.tasks.bag_comparisons import Comparisons
from handshift.study.tasks.page_vectors import Picture, page_vectors

Image = NDArray[np.uint8]
SHARE = 0.2
SIZES = {"14 words": 14, "whole page": None}
COMPARISONS = {
    "two days": (Kind.SPLICED, Kind.SINGLE),
    "two hands, one day": (Kind.MIXED, Kind.SINGLE),
    "two hands, two days": (Kind.MIXED, Kind.SPLICED),
}
"""Positive and negative kind of each comparison. Sessions must not be separable, hands should be."""
METRICS = ("auroc", "tpr_at_5")


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
"""Transformations of a page scanned at 150 dpi before it is examined."""


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
    made: Path = Field(default=Path("runs/controls"), description="cache of vectors")


def run(config: ControlConfig, seed: int, folder: Path) -> Outcome:
    """Pages of one writer from two sessions against pages of one session, short bags and whole pages."""
    model = find_model(config.model)
    kept = config.made / f"{model.fingerprint()[:12]}-{config.part}-{config.prompt}" / config.condition
    table = page_vectors(kept, _pictures(config), model.embedder(threads=1))
    pages, detector = pages_of(table, np.unique(table.writer).tolist()), model.detector(threads=1)
    found = Comparisons()
    for name, words in SIZES.items():
        kinds = {Kind.SINGLE: 1, Kind.SPLICED: 1, Kind.MIXED: 1}
        drawer = Drawer(pages, Plan(words, shares=(SHARE,), kinds=kinds))
        bags = drawer.draw(3 * config.bags, np.random.default_rng([seed, 2028]))
        score = score_bags(detector, table.vectors, bags).score
        for compared, (sought, other) in COMPARISONS.items():
            both = np.isin(bags.kind, (sought.word, other.word))
            found.add(f"{name} / {compared}", bags.kind[both] == sought.word, score[both], bags.writer[both])
    return found.outcome(METRICS)


def _pictures(config: ControlConfig) -> Iterator[Picture]:
    """The first page of two sessions of every writer who has two, transformed by the condition."""
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
)
