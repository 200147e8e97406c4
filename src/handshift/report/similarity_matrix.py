"""The cosine similarity of every pair of words as an image, ordered by hand."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.attribution.verdict import Verdict
from handshift.page.word_overlay import hand_colour
from handshift.report.data_uri import data_uri, hex_colour
from handshift.report.findings_record import packed


@dataclass(frozen=True, slots=True)
class HandSpan:
    """A run of rows that belong to one hand."""

    hand: str
    start: int
    size: int
    colour: str


@dataclass(frozen=True, slots=True)
class Matrix:
    """One pixel for each pair of words, grouped by hand, in reading order within a hand."""

    picture: str
    pixels: NDArray[np.uint8]
    """(size, size, 3) RGB"""
    size: int
    spans: tuple[HandSpan, ...]
    numbers: list[int]
    """Number on the page of the word in each row."""
    percent: str
    """Similarities × 100 as signed bytes in base64, row by row, for the pointer to read out."""
    darkest: float
    brightest: float
    """Similarities at the ends of the colour scale."""


def matrix(verdict: Verdict) -> Matrix | None:
    """Draw the similarities; None where the verdict has none for its legible words."""
    compared = verdict.compared
    similarity = np.asarray(verdict.similarity, np.float32)
    if similarity.shape != (len(compared), len(compared)):
        return None
    hands = [verdict.words[at].hand for at in compared]
    order = sorted(range(len(compared)), key=lambda row: (hands[row], row))
    similarity = similarity[np.ix_(order, order)]  # (words, words)
    low, high = _range(similarity)
    level = np.clip((similarity - low) / (high - low), 0, 1)
    coloured = cv2.applyColorMap(np.rint(level * 255).astype(np.uint8), cv2.COLORMAP_CIVIDIS)
    pixels = np.ascontiguousarray(coloured[:, :, ::-1], np.uint8)
    return Matrix(
        picture=data_uri(pixels, "png"),
        pixels=pixels,
        size=len(order),
        spans=_spans([hands[row] for row in order]),
        numbers=[compared[row] + 1 for row in order],
        percent=packed(similarity),
        darkest=low,
        brightest=high,
    )


def _range(similarity: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> tuple[float, float]:
    """Ends of the colour scale; the diagonal, always 1, is left out so that it does not take the contrast."""
    others = similarity[~np.eye(len(similarity), dtype=bool)]
    low, high = np.percentile(others, (2, 98))
    return float(low), max(float(high), float(low) + 0.01)


def _spans(hands: list[str]) -> tuple[HandSpan, ...]:
    spans: list[HandSpan] = []
    start = 0
    for hand, members in groupby(hands):
        size = len(list(members))
        spans.append(HandSpan(hand, start, size, hex_colour(hand_colour(hand))))
        start += size
    return tuple(spans)
