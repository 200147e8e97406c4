"""The page image with a rectangle for each word."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.attribution.verdict import Verdict
from handshift.page.hand_labels import MAIN_HAND
from handshift.page.word import Box
from handshift.page.word_kind import WordKind
from handshift.page.word_overlay import KINDS, hand_colour
from handshift.report.data_uri import data_uri, hex_colour

LONGEST_SIDE = 2000  # pixels of the embedded picture: sharp on paper, 300 KB and not 10 MB
JPEG_QUALITY = 82
DEEPEST_SHADE = 0.55


@dataclass(frozen=True, slots=True)
class Mark:
    """One word as it is drawn and listed."""

    number: int
    """Place on the page in reading order, from 1."""
    line: int
    place: int
    """Line, and place within the line, from 1."""
    box: Box
    hand: str
    posterior: float
    text: str
    stroke: str
    fill: str
    opacity: float
    suspect: bool
    kind: str = WordKind.WRITING.value
    """What the mark is; only writing is compared."""
    hinge: bool = False
    """Whether the ratio hangs on it."""


@dataclass(frozen=True, slots=True)
class Overlay:
    """Picture and marks, in pixels of the scan."""

    picture: str
    width: int
    height: int
    marks: tuple[Mark, ...]

    @property
    def suspects(self) -> list[Mark]:
        """Words of another hand, the likeliest first."""
        found = [mark for mark in self.marks if mark.suspect]
        return sorted(found, key=lambda mark: (-round(mark.posterior, 2), mark.number))


def overlay(verdict: Verdict) -> Overlay:
    """Mark every word: outline in the colour of its hand, shade by the posterior."""
    height, width = verdict.page.image.shape[:2]
    picture = data_uri(fitted(verdict.page.image), "jpeg", (cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY))
    return Overlay(picture, width, height, marks(verdict))


def marks(verdict: Verdict) -> tuple[Mark, ...]:
    """Combine each word with its finding."""
    found: list[Mark] = []
    place = line = 0
    for number, (word, finding) in enumerate(zip(verdict.page.words, verdict.words, strict=True), 1):
        place = place + 1 if word.line == line and found else 1
        line = word.line
        # A word of the main hand takes the shade of the hand it may belong to instead.
        shade = finding.hand if finding.hand != MAIN_HAND else "B"
        found.append(
            Mark(
                number=number,
                line=line + 1,
                place=place,
                box=word.box,
                hand=finding.hand,
                posterior=finding.posterior,
                text=word.text or "",
                stroke=hex_colour(_outline(word.kind, finding.hand)),
                fill=hex_colour(hand_colour(shade)),
                opacity=round(DEEPEST_SHADE * min(max(finding.posterior, 0.0), 1.0), 3),
                suspect=finding.suspect,
                kind=word.kind.value,
                hinge=number in verdict.scope.hinge,
            )
        )
    return tuple(found)


def _outline(kind: WordKind, hand: str) -> tuple[int, int, int]:
    return hand_colour(hand) if kind is WordKind.WRITING else KINDS[kind]


def fitted(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Shrink a scan to what a report needs."""
    scale = LONGEST_SIDE / max(image.shape[:2])
    if scale >= 1:
        return image
    size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
