"""A shipped model on other data, without further training: German street names, synthetic Hangul."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from handshift.bag.draw import Drawer
from handshift.bag.pages import Key, documents_of
from handshift.bag.plan import Kind, Plan
from handshift.core.errors import StudyError
from handshift.core.folder_lock import locked
from handshift.corpus.layouts import read_corpus
from handshift.corpus.scribes import Passage, Scribe, draw_page
from handshift.corpus.scribes.texts import KOREAN
from handshift.detect.baselines import BASELINES
from handshift.detect.combination import Combination
from handshift.detect.detector import Detector
from handshift.detect.score_bags import score_bags
from handshift.embedding.crops.crop_cache import cached_words
from handshift.embedding.crops.file_contents import FileContents
from handshift.embedding.crops.scaling import Scaling
from handshift.embedding.embedder import Embedder
from handshift.embedding.word_vectors import WordVectors
from handshift.models.shipped_models import find_model
from handshift.study.task import Outcome, StudyTask
from handshift.study.tasks.bag_comparisons import Comparisons
from handshift.study.tasks.page_vectors import Picture, keep_vectors, page_vectors

METRICS = ("auroc", "tpr_at_5")
FOREIGN = (1, 2, 3, 4, 7)


class ElsewhereConfig(BaseModel):
    """One detector of a shipped model on data of another kind than its training data."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    data: Literal["dhsd", "hangul"] = "dhsd"
    folder: Path = Field(default=Path("../shared/data/dhsd"), description="of the German words")
    model: str | None = Field(default=None, description="id or folder; the shipped one if not given")
    detector: str = Field(default="default", description="default, one of its parts, or a baseline")
    scribes: int = Field(default=24, ge=4)
    bags: int = Field(default=300, ge=20, description="of each kind and amount")
    made: Path = Field(default=Path("runs/elsewhere"), description="cache of vectors")


def run(config: ElsewhereConfig, seed: int, folder: Path) -> Outcome:
    """Bags of fourteen words, mixed against one writer and, where sessions are known, against spliced."""
    model = find_model(config.model)
    kept = config.made / f"{model.fingerprint()[:12]}-{config.data}"
    table = (_dhsd if config.data == "dhsd" else _hangul)(config, kept, model.embedder(threads=1))
    documents = documents_of(table, np.unique(table.writer).tolist(), Key.SESSION)
    detector = _detector(config.detector, model.detector(threads=1))
    kinds = (Kind.SINGLE,) if config.data == "dhsd" else (Kind.SINGLE, Kind.SPLICED)
    found = Comparisons()
    for foreign in FOREIGN:
        for kind in kinds:
            plan = Plan(14, foreign=(foreign,), kinds={Kind.MIXED: 1, kind: 1})
            rng = np.random.default_rng([seed, foreign, 2029])
            bags = Drawer(documents, plan).draw(2 * config.bags, rng)
            score = score_bags(detector, table.vectors, bags).score
            found.add(f"{foreign} / {kind.word}", bags.label, score, bags.writer)
    return found.outcome(METRICS)


def _detector(name: str, combination: Combination) -> Detector:
    known: dict[str, Detector] = {"default": combination, **combination.parts, **BASELINES}
    if name not in known:
        raise StudyError(f"detector: {name!r} is not known; known are {', '.join(known)}")
    return known[name]


def _dhsd(config: ElsewhereConfig, kept: Path, embedder: Embedder) -> WordVectors:
    with locked(kept, patience=1800):
        if not (kept / "vectors.npy").exists():
            scaling = embedder.scaling
            place = config.made / ("dhsd-words" if scaling is Scaling.SHEET else f"dhsd-words-{scaling}")
            words = cached_words(read_corpus(config.folder), place, FileContents.WORD, scaling=scaling)
            rows = ((str(p), str(w), 0, "") for p, w in zip(words.page, words.writer, strict=True))
            keep_vectors(kept, embedder.embed_crops(words.crops), rows)
    return WordVectors.load(kept)


def _hangul(config: ElsewhereConfig, kept: Path, embedder: Embedder) -> WordVectors:
    return page_vectors(kept, _scribed(config.scribes), embedder)


def _scribed(scribes: int) -> Iterator[Picture]:
    for number in range(scribes):
        for session in (0, 1):
            page = draw_page([Passage(Scribe(number, session), KOREAN)], seed=2 * number + session)
            image = page.image[..., ::-1].copy()  # colours in OpenCV's order
            yield Picture(f"{number}-{session}", f"s{number:02d}", session, "korean", image)


def _fingerprint(config: ElsewhereConfig) -> str:
    return f"{find_model(config.model).fingerprint()[:16]}-{config.data}"


TASK = StudyTask(config=ElsewhereConfig, run=run, metrics=METRICS, fingerprint=_fingerprint)
