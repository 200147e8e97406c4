"""Word-shape features (histograms of oriented gradients) that compare words across hands."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.word import Word

Floats = NDArray[np.float32]
_SLANTS = np.arange(-0.8, 0.81, 0.1)
"""Tried: how far a stroke leans to the right over its own height."""
_WIDTH, _HEIGHT, _ACROSS, _DOWN, _DIRECTIONS = 128, 32, 16, 4, 8
_INK = 64
Ink = NDArray[np.uint8]


def shape_features(words: Sequence[Word]) -> Floats:
    """Histograms of oriented gradients of words by one hand.

    The hand's slant is removed, each word is scaled to one height and width, and in every cell of a grid
    edges are counted by direction, as in word spotting. Between two hands these features identify the
    word rather than the writer.

    Args:
        words: Words of one hand.

    Returns:
        (words, features) of unit length, so that inner products are cosine similarities.
    """
    slant = slant_of([word.ink for word in words])
    return np.array([_described(_upright(word.ink, slant)) for word in words], np.float32)


def slant_of(inks: Sequence[Ink]) -> float:
    """Slant of a hand: the shear whose inverse concentrates the ink in the fewest columns."""
    return float(max(_SLANTS, key=lambda slant: sum(_gathered(_upright(ink, slant)) for ink in inks)))


def _upright(ink: Ink, slant: float) -> Ink:
    """Shear a word so that strokes of this slant become vertical."""
    height, width = ink.shape
    shear = np.array([[1, slant, max(0.0, -slant * height)], [0, 1, 0]], np.float32)
    return np.asarray(cv2.warpAffine(ink, shear, (int(width + abs(slant) * height) + 2, height)), np.uint8)


def _gathered(ink: Ink) -> float:
    return float(np.square((ink > _INK).sum(axis=0).astype(float)).sum())


def _described(ink: Ink) -> Floats:
    inked = ink > _INK
    if not inked.any():
        return np.zeros(_DOWN * _ACROSS * _DIRECTIONS, np.float32)
    rows, columns = np.flatnonzero(inked.any(axis=1)), np.flatnonzero(inked.any(axis=0))
    tight = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    small = cv2.resize(tight, (_WIDTH, _HEIGHT), interpolation=cv2.INTER_AREA).astype(np.float32)
    soft = cv2.GaussianBlur(small, (0, 0), 1.2)
    right, down = cv2.Sobel(soft, cv2.CV_32F, 1, 0), cv2.Sobel(soft, cv2.CV_32F, 0, 1)
    turn = np.arctan2(down, right) % (2 * np.pi) / (2 * np.pi) * _DIRECTIONS
    cells = np.zeros((_DOWN, _ACROSS, _DIRECTIONS), np.float32)
    y, x = np.mgrid[:_HEIGHT, :_WIDTH]
    place = (y * _DOWN // _HEIGHT, x * _ACROSS // _WIDTH, turn.astype(int) % _DIRECTIONS)
    np.add.at(cells, place, np.hypot(right, down))
    features = np.sqrt(cells).ravel()  # keeps a thick pen's edges from counting double
    return np.asarray(features / max(float(np.linalg.norm(features)), 1e-9), np.float32)
