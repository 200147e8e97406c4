"""Where the lines of writing run, on pages whose ascenders and descenders touch their neighbours."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.word import Box

Mask = NDArray[np.uint8]


def skew(mask: Mask, widest: float = 20.0) -> float:
    """Angle of the writing in degrees, positive when lines fall to the right.

    The angle at which the ink's row profile is sharpest, searched coarsely, then finely.
    """
    rows, columns = np.nonzero(mask)
    if rows.size < 50:
        return 0.0
    step = max(1, rows.size // 15_000)
    y, x = rows[::step].astype(np.float32), columns[::step].astype(np.float32)

    def sharpness(angle: float) -> float:
        shifted = (y - x * np.float32(np.tan(np.radians(angle)))) / 2
        profile = np.bincount((shifted - shifted.min()).astype(np.int64)).astype(np.float64)
        return float(np.square(np.diff(np.convolve(profile, np.ones(3), "same"))).sum())

    best = max(np.arange(-widest, widest + 0.5, 2.0), key=lambda a: sharpness(float(a)))
    best = max(np.arange(best - 1.5, best + 1.6, 0.5), key=lambda a: sharpness(float(a)))
    # A page of one or two lines has a blunt optimum: turn it only when turning clearly helps.
    return float(best) if sharpness(float(best)) > 1.06 * sharpness(0.0) else 0.0


def line_spacing(mask: Mask) -> float:
    """Distance from line to line in pixels, from the autocorrelation of the row profiles of strips.

    Strips, because sloping lines blur the profile of the whole page. A page with a single line has no
    period; there the height of its letters stands in.
    """
    height, width = mask.shape
    letters = _letter_height(mask)
    if letters == 0:
        return 0.0
    strip = max(1, int(6 * letters))
    starts = range(0, max(1, width - strip // 2), strip)
    total = np.zeros(height)
    for start in starts:
        profile = mask[:, start : start + strip].sum(axis=1).astype(np.float64)
        if np.count_nonzero(profile) < 3 * letters:
            continue
        kernel = max(1, int(letters / 3))
        profile = np.convolve(profile, np.ones(kernel) / kernel, "same")
        profile -= profile.mean()
        spectrum = np.fft.rfft(profile, 2 * height)
        correlation = np.fft.irfft(spectrum * spectrum.conj())[:height]
        if correlation[0] > 0:
            total += correlation / correlation[0]
    shortest, longest = int(1.1 * letters), min(height - 1, int(6 * letters))
    if longest - shortest < 3 or total[0] == 0:
        return 2.2 * letters
    # Lags near the shortest are favoured a little: two lines' distance correlates as well as one's.
    lags = np.arange(shortest, longest)
    window = total[shortest:longest]
    peaks = np.flatnonzero((window[1:-1] >= window[:-2]) & (window[1:-1] > window[2:])) + 1
    if peaks.size == 0 or window[peaks].max() < 0.08 * total[0]:
        return 2.2 * letters
    strong = peaks[window[peaks] >= 0.6 * window[peaks].max()]
    return float(lags[strong[0]])


def line_cores(mask: Mask, spacing: float) -> NDArray[np.int32]:
    """Label of the line whose core covers each pixel, 0 between cores; lines numbered from the top.

    A core is where a long flat blur of the ink exceeds a taller one: the band of small letters.
    """
    ink = mask.astype(np.float32)
    flat = _blur(ink, 1.3 * spacing, 0.14 * spacing)
    tall = _blur(ink, 1.3 * spacing, 0.55 * spacing)
    presence = _blur(ink, 1.3 * spacing, 0.3 * spacing)
    core = ((flat > 1.08 * tall) & (presence > 0.15 * np.percentile(presence[mask > 0], 50))).astype(np.uint8)
    count, pieces, stats, _ = cv2.connectedComponentsWithStats(core, connectivity=8)
    ink_in_piece = np.bincount(pieces[mask > 0], minlength=count)
    wide = stats[:, cv2.CC_STAT_WIDTH] > 0.5 * spacing
    kept = [piece for piece in range(1, count) if wide[piece] and ink_in_piece[piece] > 0]
    return _chain(pieces, stats, kept, spacing)


def cores_of_boxes(boxes: Sequence[Box], shape: tuple[int, ...]) -> NDArray[np.int32]:
    """Cores as `line_cores` gives them, for lines whose boxes are known: the middle third of each."""
    cores = np.zeros(shape, np.int32)
    for number, (x, y, width, height) in enumerate(boxes, start=1):
        cores[y + height // 3 : y + max(height // 3 + 1, 2 * height // 3), x : x + width] = number
    return cores


def _chain(
    pieces: NDArray[np.int32], stats: NDArray[np.int32], kept: list[int], spacing: float
) -> NDArray[np.int32]:
    """Join core pieces that continue one another into lines, and number the lines from the top."""
    ends: dict[int, tuple[float, float, float, float]] = {}
    for piece in kept:
        x, y, w, h = stats[piece, :4]
        patch = pieces[y : y + h, x : x + w] == piece
        reach = max(1, min(w, int(spacing)))
        left, right = patch[:, :reach], patch[:, w - reach :]
        ends[piece] = (float(x), y + _mean_row(left), float(x + w), y + _mean_row(right))
    parent = {piece: piece for piece in kept}

    def root(piece: int) -> int:
        while parent[piece] != piece:
            piece = parent[piece]
        return piece

    for piece in sorted(kept, key=lambda p: ends[p][0]):
        x0, y0, _, _ = ends[piece]
        # Its left neighbour is the piece that ends nearest to where this one begins, at the same height.
        best, best_cost = 0, np.inf
        for other in kept:
            _, _, x1, y1 = ends[other]
            gap = x0 - x1
            if other == piece or gap < -0.6 * spacing or ends[other][0] >= x0:
                continue
            drop = abs(y0 - y1)
            if drop > 0.4 * spacing + 0.03 * max(0.0, gap):
                continue
            cost = drop + 0.1 * max(0.0, gap)
            if cost < best_cost:
                best, best_cost = other, cost
        if best and root(best) != root(piece):
            parent[root(piece)] = root(best)
    groups: dict[int, list[int]] = {}
    for piece in kept:
        groups.setdefault(root(piece), []).append(piece)

    def height_of(group: list[int]) -> float:
        weight = [stats[p, cv2.CC_STAT_AREA] for p in group]
        return float(np.average([(ends[p][1] + ends[p][3]) / 2 for p in group], weights=weight))

    number = np.zeros(stats.shape[0], np.int32)
    for order, group in enumerate(sorted(groups.values(), key=height_of), start=1):
        number[group] = order
    return number[pieces]


def _mean_row(patch: NDArray[np.bool_]) -> float:
    rows = np.nonzero(patch)[0]
    return float(rows.mean()) if rows.size else patch.shape[0] / 2


def _blur(image: NDArray[np.float32], across: float, down: float) -> NDArray[np.float32]:
    """Gaussian-like blur by two box passes, whose cost does not grow with the width."""
    size = (max(1, int(across * 1.2)) | 1, max(1, int(down * 2.4)) | 1)
    return cv2.blur(cv2.blur(image, size), size)


def _letter_height(mask: Mask) -> float:
    """Typical height of connected ink, heavier pieces counting more: about a small letter or two."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    heights, widths = stats[1:, cv2.CC_STAT_HEIGHT], stats[1:, cv2.CC_STAT_WIDTH]
    letters = (heights > 3) & (heights < 0.3 * mask.shape[0] + 20) & (widths < 0.5 * mask.shape[1] + 20)
    if not letters.any():
        return 0.0
    return float(np.median(heights[letters]))
