"""Every partition of a few items into groups."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from handshift.core.arrays import Flags


class SetPartitions(NamedTuple):
    """The partitions of n items; groups that occur in several are listed once."""

    labels: list[tuple[int, ...]]
    """The group of each item, numbered in order of appearance; the first has one group for all."""
    groups: Flags
    """(groups, items) membership of every distinct group."""
    used: list[list[int]]
    """The rows of `groups` that each partition is made of."""


@cache
def set_partitions(size: int) -> SetPartitions:
    """List the partitions of `size` items: 52 of five, 4,140 of eight."""
    found: list[tuple[int, ...]] = [(0,)]
    for _ in range(size - 1):
        found = [(*labels, new) for labels in found for new in range(max(labels) + 2)]
    groups: dict[tuple[bool, ...], int] = {}
    used = []
    for labels in found:
        members = [tuple(label == name for label in labels) for name in range(max(labels) + 1)]
        used.append([groups.setdefault(group, len(groups)) for group in members])
    return SetPartitions(found, np.array(list(groups)), used)
