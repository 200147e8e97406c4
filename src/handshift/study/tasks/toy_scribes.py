"""The smallest real study: an angular margin on tiny word images of synthetic scribes."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize

from handshift.corpus.scribes import Scribe, draw_word
from handshift.metrics import auroc, measure
from handshift.study.task import Outcome, ScoredItems, StudyTask
from handshift.training import TrainingConfig, batch_generator, fit, load_weights

WORDS = ("garden", "water", "morning", "letter", "the", "parcel", "bridge", "quilt", "and", "window")
SIZE = (24, 72)  # rows, columns


class ToyData(BaseModel):
    """How many scribes learn, how many others are asked about, and how much each writes per day."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    train_scribes: int = Field(default=24, ge=2)
    test_scribes: int = Field(default=24, ge=2)
    words: int = Field(default=14, ge=2, description="per scribe and day")

    def fingerprint(self) -> str:
        """Identity of the drawn data."""
        return hashlib.sha256(json.dumps(self.model_dump(), sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class WordImages:
    """Images (N, 1, 24, 72) in 0…1, the scribe's number (N,) and the day (N,)."""

    images: NDArray[np.float32]
    scribes: NDArray[np.int64]
    days: NDArray[np.int64]


@lru_cache(maxsize=4)  # a worker runs several seeds on the same data
def draw_words(first: int, scribes: int, words: int, days: int) -> WordImages:
    """Let scribes ``first …`` write ``words`` words on each of ``days`` days."""
    images, numbers, when = [], [], []
    for number in range(first, first + scribes):
        for day in range(days):
            for word in range(words):
                seed = (number * 10 + day) * 1000 + word
                image = draw_word(Scribe(number, day), WORDS[word % len(WORDS)], seed, dpi=100)
                images.append(fitted(image))
                numbers.append(number - first)
                when.append(day)
    return WordImages(np.stack(images)[:, None], np.array(numbers), np.array(when))


def fitted(image: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Scale into the frame without distortion, paper (0) around."""
    rows, columns = SIZE
    scale = min(rows / image.shape[0], columns / image.shape[1])
    height, width = (max(1, round(length * scale)) for length in image.shape)
    frame = np.zeros(SIZE, np.float32)
    frame[:height, :width] = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA) / 255.0
    return frame


DAYS = ("same day", "other day")
FIRST_TEST_SCRIBE = 1000


class ToyConfig(BaseModel):
    """Data, margin and training of one variant."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    data: ToyData = ToyData()
    margin: float = Field(default=0.0, ge=0, lt=1, description="radians added to the angle to the own class")
    scale: float = Field(default=16.0, gt=0)
    batch: int = Field(default=64, ge=2)
    training: TrainingConfig = TrainingConfig(steps=100, max_lr=5e-3, log_every=5, evaluate_every=20)


class ToyNet(nn.Module):
    """Word image (B, 1, 24, 72) → unit vector (B, 32), and one centre per scribe."""

    def __init__(self, scribes: int) -> None:
        super().__init__()
        widths = (1, 12, 24, 48)
        stages = [
            nn.Sequential(nn.Conv2d(i, o, 3, 2, 1), nn.BatchNorm2d(o), nn.ReLU())
            for i, o in itertools.pairwise(widths)
        ]
        self.body = nn.Sequential(*stages, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(48, 32))
        self.centres = nn.Parameter(torch.randn(scribes, 32))

    def forward(self, images: Tensor) -> Tensor:
        """Unit vectors."""
        return normalize(self.body(images))


class ToyTask:
    """Classify the scribes of the training words, logit = s·cos(θ + m·[own class])."""

    def __init__(self, config: ToyConfig, seed: int) -> None:
        data = config.data
        torch.manual_seed(seed)
        self.config, self.seed = config, seed
        self.train = draw_words(0, data.train_scribes, data.words, 1)
        self.test = draw_words(FIRST_TEST_SCRIBE, data.test_scribes, data.words, 2)
        self.pairs = examination_pairs(self.test)
        self.module = ToyNet(data.train_scribes)
        self.steps_per_epoch = max(1, len(self.train.images) // config.batch)

    def batch(self, index: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Random words of random scribes."""
        chosen = batch_generator(self.seed, index).integers(len(self.train.images), size=self.config.batch)
        return self.train.images[chosen], self.train.scribes[chosen]

    def loss(self, batch: tuple[Tensor, Tensor]) -> tuple[Tensor, Mapping[str, float | Tensor]]:
        """Cross entropy over the scaled cosines, the own one pushed down by the margin."""
        images, scribes = batch
        cosines = self.module(images) @ normalize(self.module.centres).T  # (B, scribes)
        own = scribes[:, None]
        angles = torch.arccos(cosines.gather(1, own).clamp(-1 + 1e-6, 1 - 1e-6))
        logits = self.config.scale * cosines.scatter(1, own, torch.cos(angles + self.config.margin))
        accuracy = (cosines.argmax(1) == scribes).float().mean()
        return cross_entropy(logits, scribes), {"accuracy": accuracy}

    def scores(self) -> NDArray[np.float64]:
        """Cosine of every test pair, (P,)."""
        vectors = self.module(torch.from_numpy(self.test.images)).numpy().astype(np.float64)
        left, right, _ = self.pairs
        cosines: NDArray[np.float64] = (vectors[left] * vectors[right]).sum(axis=1)
        return cosines

    def evaluate(self) -> Mapping[str, float]:
        """Verification of unseen scribes, all pairs."""
        left, right, _ = self.pairs
        same = self.test.scribes[left] == self.test.scribes[right]
        return {"auroc": auroc(same, self.scores())}


def examination_pairs(words: WordImages) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.str_]]:
    """Balanced pairs: every word with its own and with another hand, on the same and on another day."""
    random = np.random.default_rng(0)  # the examination is the same for every seed of the study
    left, right, group = [], [], []
    for word in range(len(words.images)):
        for day in (0, 1):
            there = (words.days == words.days[word]) == (day == 0)
            there[word] = False
            mine = words.scribes == words.scribes[word]
            for partners in (there & mine, there & ~mine):
                left.append(word)
                right.append(int(random.choice(np.flatnonzero(partners))))
                group.append(DAYS[day])
    return np.array(left), np.array(right), np.array(group)


def run(config: ToyConfig, seed: int, folder: Path) -> Outcome:
    """Train, then measure the verification of unseen scribes, on the same and on another day."""
    task = ToyTask(config, seed)
    training = config.training.model_copy(update={"seed": seed})
    result = fit(task, training, folder / "training", progress_bar=False)
    load_weights(task.module, result.weights)
    task.module.eval()
    with torch.no_grad():
        scores = task.scores()
    left, right, groups = task.pairs
    labels = (task.test.scribes[left] == task.test.scribes[right]).astype(np.int64)
    items = ScoredItems(labels, scores, groups, task.test.scribes[left].astype(np.str_))
    metrics = {day: measure(TASK.metrics, labels[groups == day], scores[groups == day]) for day in DAYS}
    return Outcome(metrics, items)


TASK = StudyTask(
    config=ToyConfig,
    run=run,
    metrics=("auroc", "tpr_at_5", "eer"),
    fingerprint=lambda config: config.data.fingerprint(),
)
