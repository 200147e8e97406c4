"""Divides a word whose text is known into its letters, and keeps those whose place is beyond doubt.

A word is read from left to right as a semi-Markov chain: its columns, sheared upright, are cut at gaps and at
thin strokes, and every letter covers one or more of the parts between. A letter's width is log-normal around
that of its kind, it rises above and falls below the small letters as its kind does, and a gap is more often
between two letters than within one. Forward–backward gives the posterior of each letter's place.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from handshift.core.arrays import Floats

SURE = 0.8
"""Posterior from which a letter is taken for found."""
LONGEST = 24
"""Letters of a word that is divided."""
CORE = 24
"""Height of small letters that a word is brought to, in pixels."""

_NARROW, _MIDDLING, _WIDE = "ijl1'.,!|", "frtI()-:;", "mwMW"
_RISING, _FALLING = "bdfhklß", "gjpqyß"
_SPREAD, _SPREAD_OF_INK = 0.32, 0.4
_AT_GAP, _AT_STROKE, _AT_MORE = 3.3, 0.3, 1.0
"""What a cut through a gap, through one stroke, and through each further stroke adds."""
_STEP = 2
_SLACK_OF_INK = 0.15
"""Ink of a joining stroke that may go to either letter, as a share of an n's."""
_SLANTS = np.arange(-0.4, 1.21, 0.1)
_INK, _EMPTY = 0.4, 0.6
_DOUBT = 0.8
"""Power that likelihoods are raised to: the parts of a word are not independent."""


@dataclass(frozen=True, slots=True)
class Letter:
    """One letter of a word."""

    text: str
    place: int
    """In the word, from 0."""
    certainty: float
    ink: NDArray[np.float32] = field(repr=False)
    """0 paper to 1 ink, cut to the letter; small letters are 24 pixels high."""


def divide(ink: Floats, text: str) -> tuple[Letter, ...]:
    """The letters of a word that are separated from their neighbours with a posterior of 0.8.

    Args:
        ink: (height, width), 0 paper to 1 ink, of one word.
        text: What it says, without spaces.
    """
    if not 1 < len(text) <= LONGEST or text.isspace() or (ink > _INK).sum() < 20:
        return ()
    word = _Columns.of(_without_neighbours(ink), text)
    if word is None:
        return ()
    found = []
    for place, (one, two, certainty) in enumerate(_places(word, text)):
        if certainty >= SURE:
            cut = word.between(word.cuts[one], word.cuts[two])
            if cut is not None:
                found.append(Letter(text[place], place, certainty, cut))
    return tuple(found)


@dataclass(frozen=True)
class _Columns:
    """A word whose columns are sheared upright, and the places where it may be cut."""

    ink: NDArray[np.float32]
    column: NDArray[np.int64]
    """(height, width) sheared column of each pixel."""
    cuts: NDArray[np.int64]
    """(cuts,) columns, both ends of the word among them."""
    support: Floats
    """(cuts,) what speaks for a letter's end there."""
    amount: Floats
    """(cuts,) ink before each."""
    core: tuple[int, int] | None
    """First and last row of the small letters; None where the text has none."""

    @classmethod
    def of(cls, ink: Floats, text: str) -> _Columns | None:
        small = any(letter in "aceimnorsuvwxz" for letter in text)
        top, bottom = _core(ink)
        height = bottom - top + 1 if small else 0.6 * np.ptp(np.flatnonzero((ink > _INK).any(axis=1)))
        if height < 3:
            return None
        scale = CORE / height
        size = (max(2, round(ink.shape[1] * scale)), max(2, round(ink.shape[0] * scale)))
        if max(size) > 4000:
            return None
        large = np.clip(cv2.resize(ink.astype(np.float32), size, interpolation=cv2.INTER_CUBIC), 0.0, 1.0)
        dark = large > _INK
        rows, columns = np.nonzero(dark)
        if not rows.size:
            return None
        slant = max(_SLANTS, key=lambda shear: _upright(rows, columns, shear))
        y, x = np.mgrid[: large.shape[0], : large.shape[1]]
        column = np.rint(x + slant * (y - large.shape[0])).astype(np.int64)
        column -= column[dark].min()
        end = int(column[dark].max()) + 1
        profile = np.bincount(column[dark], minlength=end)[:end].astype(np.float64)
        cuts, support = _cuts(np.convolve(profile, (0.25, 0.5, 0.25), "same"), _stroke(dark))
        core = _core(large) if small else None
        amount = np.concatenate(([0.0], np.cumsum(profile)))[cuts]
        return cls(large.astype(np.float32), column, cuts, support, amount, core)

    def between(self, left: int, right: int) -> NDArray[np.float32] | None:
        """The ink between two columns, cut to it."""
        own = np.where((self.column >= left) & (self.column < right), self.ink, 0.0).astype(np.float32)
        rows, columns = np.nonzero(own > _INK)
        if rows.size < 8 or np.ptp(rows) < CORE / 2:  # a dot or a joining stroke
            return None
        return own[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]

    def reach(self) -> tuple[Floats, Floats]:
        """(cuts − 1,) heights above and below the small letters of each part, in heights of small letters."""
        above, below = np.zeros((2, len(self.cuts) - 1))
        if self.core is None:
            return above, below
        rows, columns = np.nonzero(self.ink > _INK)
        part = np.searchsorted(self.cuts, self.column[rows, columns], side="right") - 1
        for number in range(len(above)):
            own = np.sort(rows[part == number])
            if own.size > 4:
                above[number] = (self.core[0] - own[2]) / CORE
                below[number] = (own[-3] - self.core[1]) / CORE
        return above, below


def _places(word: _Columns, text: str) -> list[tuple[int, int, float]]:
    """First and last cut of each letter in its most probable place, and the posterior of that place."""
    share = np.array([_width(letter) for letter in text])
    share_of_n = share.sum()
    share /= share_of_n
    span = (word.cuts[None, :] - word.cuts[:, None]).astype(np.float64)
    amount = word.amount[None, :] - word.amount[:, None]
    possible = (span >= 2 * _STEP) & (amount > 0)
    above, below = (_highest(part) for part in word.reach())
    letters = []
    for letter, part in zip(text, share, strict=True):
        wide = np.log(np.where(possible, span, 1.0) / (part * span[0, -1])) / _SPREAD
        black = np.log(np.where(possible, amount, 1.0) / (part * amount[0, -1])) / _SPREAD_OF_INK
        score = word.support[None, :] - (wide**2 + black**2) / 2
        if word.core is not None:
            score = score + _seen(above > 0.45, _rises(letter)) + _seen(below > 0.45, _falls(letter))
        letters.append(np.where(possible, _DOUBT * score, -np.inf))
    forward = [np.where(np.arange(len(word.cuts)) == 0, 0.0, -np.inf)]
    with np.errstate(divide="ignore"):
        for score in letters:
            forward.append(logsumexp(forward[-1][:, None] + score, axis=0))
        backward = [np.where(np.arange(len(word.cuts)) == len(word.cuts) - 1, 0.0, -np.inf)]
        for score in letters[::-1]:
            backward.append(logsumexp(score + backward[-1][None, :], axis=1))
    if not np.isfinite(forward[-1][-1]):
        return []
    found = []
    slack = _SLACK_OF_INK * word.amount[-1] / share_of_n
    for at, score in enumerate(letters):
        chance = np.exp(forward[at][:, None] + score + backward[len(letters) - 1 - at] - forward[-1][-1])
        one, two = map(int, np.unravel_index(int(chance.argmax()), chance.shape))
        near = _near(word, one, slack)[:, None] & _near(word, two, slack)
        found.append((one, two, float(chance[near].sum())))
    return found


def _near(word: _Columns, cut: int, slack: float) -> NDArray[np.bool_]:
    """(cuts,) which cuts leave the same letter: few columns away, or along a thin joining stroke."""
    columns = np.abs(word.cuts - word.cuts[cut])
    return np.asarray((columns <= CORE / 6) | (np.abs(word.amount - word.amount[cut]) <= slack))


def _without_neighbours(ink: Floats) -> Floats:
    """Without specks, and without strokes of other lines that enter at the edge of the picture."""
    _, label, about, _ = cv2.connectedComponentsWithStats((ink > _INK).astype(np.uint8))
    height, width = ink.shape
    area = about[1:, cv2.CC_STAT_AREA]
    top, rows = about[1:, cv2.CC_STAT_TOP], about[1:, cv2.CC_STAT_HEIGHT]
    left, columns = about[1:, cv2.CC_STAT_LEFT], about[1:, cv2.CC_STAT_WIDTH]
    edge = (top == 0) | (top + rows == height) | (left == 0) | (left + columns == width)
    foreign = (edge & (area < 0.15 * area.sum())) | (area < 0.002 * area.sum())
    kept = np.append(True, ~foreign)[label]
    return np.where(kept, ink, 0.0)


def _core(ink: Floats) -> tuple[int, int]:
    """First and last row of the small letters: the rows that cross most strokes, around the one with most."""
    dark = np.pad(ink > _INK, ((0, 0), (1, 0)))
    strokes = (dark[:, 1:] & ~dark[:, :-1]).sum(axis=1)  # an underline is one, however long
    rows = np.convolve(strokes, np.ones(3) / 3, "same")
    dense = rows > 0.45 * rows.max()
    densest = int(rows.argmax())
    before, after = np.flatnonzero(~dense[:densest]), np.flatnonzero(~dense[densest:])
    top = int(before[-1]) + 1 if before.size else 0
    bottom = densest + int(after[0]) - 1 if after.size else len(rows) - 1
    return top, bottom


def _upright(rows: NDArray[np.int64], columns: NDArray[np.int64], shear: float) -> float:
    """How steep the columns are filled at this shear."""
    column = np.rint(columns + shear * rows).astype(np.int64)
    counts = np.bincount(column - column.min()).astype(np.float64)
    return float((counts**2).sum())


def _stroke(dark: NDArray[np.bool_]) -> float:
    """Typical width of the strokes."""
    depth = cv2.distanceTransform(dark.astype(np.uint8), cv2.DIST_L2, 3)
    ridge = depth[(depth > 0) & (depth >= cv2.dilate(depth, np.ones((3, 3), np.uint8)))]
    return max(1.5, 2 * float(np.median(ridge))) if ridge.size else 2.0


def _cuts(profile: Floats, stroke: float) -> tuple[NDArray[np.int64], Floats]:
    """Columns a word may be cut at, and what speaks for each: the middle of a gap, or how little is cut."""
    cost = _AT_STROKE - _AT_MORE * np.clip(profile / stroke - 1, 0.0, 3.0)
    empty = profile < _EMPTY
    bounds = np.flatnonzero(np.diff(np.concatenate(([False], empty, [False])).astype(np.int8)))
    cost[empty] = -np.inf
    middles = [int(start + end) // 2 for start, end in bounds.reshape(-1, 2)]
    cost[middles] = _AT_GAP
    inner = np.unique([*range(_STEP, len(profile) - _STEP, _STEP), *middles])
    inner = inner[np.isfinite(cost[inner])]
    inner = inner[(inner > 0) & (inner < len(profile))]
    return np.array([0, *inner, len(profile)], np.int64), np.array([_AT_GAP, *cost[inner], _AT_GAP])


def _highest(part: Floats) -> Floats:
    """(cuts, cuts) the largest value of the parts between two cuts."""
    count = len(part) + 1
    found = np.zeros((count, count))
    for start in range(count - 1):
        found[start, start + 1 :] = np.maximum.accumulate(part[start:])
    return found


def _seen(seen: NDArray[np.bool_], chance: float) -> Floats:
    return np.where(seen, log(chance), log(1 - chance))


def _width(letter: str) -> float:
    """Usual width, in widths of an n."""
    if letter in _NARROW:
        return 0.5
    if letter in _MIDDLING:
        return 0.7
    if letter in _WIDE:
        return 1.5
    return 1.25 if letter.isupper() else 0.8 if letter in "ces" else 1.0


def _rises(letter: str) -> float:
    if letter in _RISING or letter.isupper() or letter.isdigit():
        return 0.92
    return {"t": 0.8, "i": 0.5, "j": 0.5}.get(letter, 0.1)


def _falls(letter: str) -> float:
    if letter in _FALLING:
        return 0.88
    return {"f": 0.4, "z": 0.2}.get(letter, 0.08)
