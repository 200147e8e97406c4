"""Patterns of foreign words in a bag: one block, several blocks, alternating lines, scattered words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Frame:
    """Bags before placement: 0 < count < size words of each become foreign."""

    count: NDArray[np.int64]
    """(bags,)"""
    size: NDArray[np.int64]
    """(bags,)"""
    line: NDArray[np.int64] | None = None
    """(bags, longest) line of each word on its page, where known."""

    @property
    def place(self) -> NDArray[np.int64]:
        """(longest,) 0, 1, 2, …"""
        return np.arange(int(self.size.max(initial=0)))

    @property
    def inside(self) -> NDArray[np.bool_]:
        """(bags, longest) true on words, false on padding."""
        return np.asarray(self.place < self.size[:, None])


class Pattern(Protocol):
    """Places exactly `count` foreign words in each bag."""

    @property
    def name(self) -> str:
        """Name in tables and bag sets."""

    def place(self, frame: Frame, rng: np.random.Generator) -> NDArray[np.bool_]:
        """(bags, longest) true where a foreign word goes."""


def lowest(key: NDArray[np.float64], frame: Frame) -> NDArray[np.bool_]:
    """(bags, longest) true on the `count` words of each bag with the lowest keys, (bags, longest)."""
    order = np.argsort(np.where(frame.inside, key, np.inf), axis=1)
    chosen = np.zeros(key.shape, bool)
    np.put_along_axis(chosen, order, frame.place < frame.count[:, None], axis=1)
    return chosen


class Where(Enum):
    """Position of the block in the bag."""

    FRONT = "front"
    MIDDLE = "middle"
    BACK = "back"
    ANYWHERE = "anywhere"


@dataclass(frozen=True, slots=True)
class Block:
    """One run of foreign words: start ∈ {0, ⌊(size − count)/2⌋, size − count}, or uniform in between."""

    where: Where = Where.ANYWHERE

    @property
    def name(self) -> str:
        """With its part of the bag."""
        return "block" if self.where is Where.ANYWHERE else f"block, {self.where.value}"

    def place(self, frame: Frame, rng: np.random.Generator) -> NDArray[np.bool_]:
        """(bags, longest) one run of `count` words in each."""
        room = frame.size - frame.count
        start = {
            Where.FRONT: np.zeros_like(room),
            Where.MIDDLE: room // 2,
            Where.BACK: room,
            Where.ANYWHERE: rng.integers(room + 1),
        }[self.where][:, None]
        return np.asarray((frame.place >= start) & (frame.place < start + frame.count[:, None]))


@dataclass(frozen=True, slots=True)
class Blocks:
    """`number` runs of nearly equal length in distinct gaps between host words, uniformly over gaps.

    The h = size − count words of the host leave h + 1 gaps; where there are fewer gaps or foreign words than
    runs, there are fewer runs.
    """

    number: int = 2

    @property
    def name(self) -> str:
        """With the number of runs."""
        return f"{self.number} blocks"

    def place(self, frame: Frame, rng: np.random.Generator) -> NDArray[np.bool_]:
        """(bags, longest) true in the runs."""
        gaps = frame.size - frame.count + 1
        number = np.minimum(np.minimum(self.number, frame.count), gaps)[:, None]
        key = rng.random((len(gaps), int(gaps.max(initial=1))))
        key[np.arange(key.shape[1]) >= gaps[:, None]] = np.inf
        turn = np.arange(min(self.number, key.shape[1]))
        chosen = np.argsort(key, axis=1)[:, : turn.size]
        chosen = np.sort(np.where(turn < number, chosen, key.shape[1]), axis=1)
        length = np.where(turn < number, frame.count[:, None] // number, 0)
        length += turn < frame.count[:, None] % number
        start = chosen + np.cumsum(length, axis=1) - length
        place = frame.place[:, None]
        inside = (place >= start[:, None]) & (place < (start + length)[:, None])
        return np.asarray(inside.any(axis=2))


@dataclass(frozen=True, slots=True)
class Lines:
    """Every other line is foreign: its first `count` words from a random line on, wrapping around.

    Where those lines hold fewer than `count` words, the rest comes from the lines between. Where lines are
    not known, every `run` words stand for one.
    """

    run: int = 7

    @property
    def name(self) -> str:
        """Without the run, which only stands in for real lines."""
        return "alternating lines"

    def place(self, frame: Frame, rng: np.random.Generator) -> NDArray[np.bool_]:
        """(bags, longest) true on the foreign lines."""
        if frame.line is None:
            line = np.broadcast_to(frame.place // self.run, frame.inside.shape)
        else:
            line = frame.line - frame.line[:, :1]
        line = np.where(frame.inside, line, 0)
        lines = line.max(axis=1, initial=0) + 1
        begin = rng.integers(lines)[:, None]
        after = (line < begin) * float(frame.place.size) + frame.place
        between = (line - begin) % 2 * 2.0 * frame.place.size
        return lowest(after + between, frame)


@dataclass(frozen=True, slots=True)
class Scattered:
    """Uniform over all sets of `count` positions."""

    name: str = "scattered"

    def place(self, frame: Frame, rng: np.random.Generator) -> NDArray[np.bool_]:
        """(bags, longest) true on the words drawn."""
        return lowest(rng.random(frame.inside.shape), frame)
