"""Tiny images of single words by synthetic scribes: enough to learn hands from, in a second."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from handshift.corpus.scribes import Scribe, draw_word

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
