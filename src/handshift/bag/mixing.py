"""Mixtures of pages whose truth is known: words of one page replaced by another page's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Bag:
    """Rows of one vector array in reading order, and which of them come from the other page."""

    rows: Rows
    foreign: NDArray[np.bool_]
    writer: str
    """The writer of the page that was mixed into: what is bootstrapped over."""


def replace_block(host: Rows, guest: Rows, start: int, count: int, writer: str) -> Bag:
    """Replace `count` words from `start` by the guest page's words at the same place in the text.

    The same place, because all pages of a prompt hold one text: another hand must not be given away by
    other words.
    """
    rows, foreign = host.copy(), np.zeros(host.size, bool)
    guest_start = min(round(start * guest.size / host.size), max(0, guest.size - count))
    taken = guest[guest_start : guest_start + count]
    rows[start : start + taken.size] = taken
    foreign[start : start + taken.size] = True
    return Bag(rows, foreign, writer)
