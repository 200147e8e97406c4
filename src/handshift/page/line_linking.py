"""Links pieces of line cores that continue one another into lines, numbered from the top."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class _Piece:
    """One connected core: where it begins and ends, and its weight."""

    label: int
    left: float
    left_row: float
    right: float
    right_row: float
    area: float


def link_cores(core: NDArray[np.uint8], ink: NDArray[np.float32], spacing: float) -> NDArray[np.int32]:
    """Label the cores by line.

    Args:
        core: 1 on cores.
        ink: Ink on the same grid.
        spacing: Distance of lines on this grid.

    Returns:
        Line number from 1 at the top, 0 elsewhere; pieces without ink or too short for a letter are
        dropped.
    """
    count, labels, stats, _ = cv2.connectedComponentsWithStats(core, connectivity=8, ltype=cv2.CV_32S)
    inked = np.bincount(labels[ink > 0], minlength=count) > 0
    wide = stats[:, cv2.CC_STAT_WIDTH] > 0.5 * spacing
    lettered = np.flatnonzero((inked & wide)[1:]) + 1
    pieces = [_measured(labels, stats, int(label), spacing) for label in lettered]
    number = np.zeros(count, np.int32)
    for order, line in enumerate(sorted(_lines(pieces, spacing), key=_height), start=1):
        number[[piece.label for piece in line]] = order
    return number[labels]


def _lines(pieces: list[_Piece], spacing: float) -> list[list[_Piece]]:
    """Follow each piece to the one that continues it."""
    line_of: dict[int, list[_Piece]] = {}
    lines: list[list[_Piece]] = []
    for piece in sorted(pieces, key=lambda p: p.left):
        before = _left_neighbour(piece, pieces, spacing)
        line = line_of.get(before.label) if before else None
        if line is None:
            line = []
            lines.append(line)
        line.append(piece)
        line_of[piece.label] = line
    return lines


def _left_neighbour(piece: _Piece, pieces: list[_Piece], spacing: float) -> _Piece | None:
    """The piece that ends nearest to where this one begins, at about the same height."""
    best, least = None, np.inf
    for other in pieces:
        gap = piece.left - other.right
        drop = abs(piece.left_row - other.right_row)
        begins_before = other.left < piece.left and gap >= -0.6 * spacing
        if begins_before and drop <= 0.4 * spacing + 0.03 * max(0.0, gap):
            cost = drop + 0.1 * max(0.0, gap)
            if cost < least:
                best, least = other, cost
    return best


def _measured(labels: NDArray[np.int32], stats: NDArray[np.int32], label: int, spacing: float) -> _Piece:
    x, y, width, height, area = (int(value) for value in stats[label])
    patch = labels[y : y + height, x : x + width] == label
    reach = max(1, min(width, int(spacing)))
    left, right = np.nonzero(patch[:, :reach])[0], np.nonzero(patch[:, width - reach :])[0]
    return _Piece(label, x, y + float(left.mean()), x + width, y + float(right.mean()), area)


def _height(line: list[_Piece]) -> float:
    """Mean row of a line, its longer pieces counting more."""
    middle = [(piece.left_row + piece.right_row) / 2 for piece in line]
    return float(np.average(middle, weights=[piece.area for piece in line]))
