"""How alike two words look as words, whoever wrote them: the outline from left to right."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.word import Word

Floats = NDArray[np.float64]
COLUMNS = 40
_ROWS = 32
_REACH = 5
"""Columns by which one word may run ahead of the other."""
_INK = 64


def outlines(words: Sequence[Word]) -> tuple[Floats, Floats]:
    """(words, COLUMNS, 4) ink, upper and lower edge and strokes crossed, column by column; (words,) ln width.

    As in word spotting (Rath & Manmatha 2007); each word is brought to one height and width first.
    """
    profiles = np.zeros((len(words), COLUMNS, 4))
    widths = np.zeros(len(words))
    for number, word in enumerate(words):
        inked = word.ink > _INK
        if not inked.any():
            continue
        rows, columns = np.flatnonzero(inked.any(axis=1)), np.flatnonzero(inked.any(axis=0))
        tight = word.ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        widths[number] = np.log(tight.shape[1] / tight.shape[0])
        small = np.asarray(cv2.resize(tight, (COLUMNS, _ROWS), interpolation=cv2.INTER_AREA)) > _INK
        profiles[number] = _profile(small)
    return profiles, widths


def unlikeness(one: tuple[Floats, Floats], two: tuple[Floats, Floats]) -> Floats:
    """(first words, second words) cost of bending one outline into the other, and of another width."""
    a, b = one[0][:, None], two[0][None]  # (first, 1, columns, 4), (1, second, columns, 4)
    cost = np.full((len(one[0]), len(two[0]), COLUMNS + 1, COLUMNS + 1), np.inf)
    cost[:, :, 0, 0] = 0.0
    for i in range(COLUMNS):
        for j in range(max(0, i - _REACH), min(COLUMNS, i + _REACH + 1)):
            step = np.abs(a[:, :, i] - b[:, :, j]).sum(axis=2)
            before = np.minimum(cost[:, :, i, j], np.minimum(cost[:, :, i, j + 1], cost[:, :, i + 1, j]))
            cost[:, :, i + 1, j + 1] = before + step
    return np.asarray(cost[:, :, -1, -1] / COLUMNS + np.abs(one[1][:, None] - two[1][None]))


def _profile(inked: NDArray[np.bool_]) -> Floats:
    some = inked.any(axis=0)
    upper = np.where(some, inked.argmax(axis=0), _ROWS) / _ROWS
    lower = np.where(some, _ROWS - inked[::-1].argmax(axis=0), 0) / _ROWS
    crossed = (inked[1:] & ~inked[:-1]).sum(axis=0) / 4
    return np.stack([inked.mean(axis=0), upper, lower, crossed], axis=1)
