"""Deskewing: the angle of the writing, and the rotation that makes its lines level."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.components import Components, components_of
from handshift.page.ink import Ink, ink_map

_STEEP = 4.0
"""Degrees; gentler slopes are followed line by line and need no rotation, which would blur the strokes."""
_STEEP_RULES = 1.5
"""Degrees from which on rules are not found, and so not erased, where they lie."""
_EDGE = 150
"""Of the page's width, what is left out along the edges of the turned page."""
_RULE, _KNOWN_RULED = 0.2, 2
"""Share of the page's width beyond which a stroke is part of a rule, and how many show ruled paper."""
_PARALLEL, _AGREEING = 2.0, 0.6
"""Degrees within which rules are parallel, and share of the long strokes that are: those that fill a page's
blank part go in all directions."""


@dataclass(frozen=True, slots=True)
class Rotation:
    """A rotation that makes sloping lines level, and its inverse."""

    there: NDArray[np.float64]
    back: NDArray[np.float64]
    size: tuple[int, int]
    """Width and height of the rotated page, which holds all corners."""

    def apply(self, picture: NDArray[np.uint8], border: int = cv2.BORDER_CONSTANT) -> NDArray[np.uint8]:
        """Rotate an ink map or a picture; beyond its edges lies what `border` says, 0 without it."""
        return np.asarray(
            cv2.warpAffine(picture, self.there, self.size, flags=cv2.INTER_LINEAR, borderMode=border),
            np.uint8,
        )

    def undo(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Map pixels of the rotated page back to the scan.

        Args:
            rows: (n,) rows on the rotated page.
            columns: (n,) columns on the rotated page.

        Returns:
            Rows and columns on the scan, (n,) each.
        """
        x, y = self.back[:, :2] @ np.vstack([columns, rows]) + self.back[:, 2:]
        return np.rint(y).astype(np.int64), np.rint(x).astype(np.int64)


def level_ruled(pieces: Components, image: NDArray[np.uint8]) -> tuple[Rotation, Ink] | None:
    """Turn ruled paper that lies askew until its rules are level, and find its ink anew without them.

    Rules are found and erased where they are level; askew they would tie all words together.

    Args:
        pieces: Connected components of the page's ink.
        image: RGB pixels of the page.

    Returns:
        The rotation and the ink of the turned page; None where no rules are left on the page as it is.
    """
    rules = _long_pieces(pieces)
    if rules.size < _KNOWN_RULED:
        return None
    slopes = np.array([_slope(pieces, label) for label in rules])
    angle = float(np.median(slopes))
    if abs(angle) < _STEEP_RULES or np.mean(np.abs(slopes - angle) <= _PARALLEL) < _AGREEING:
        return None
    rotation = deskew_rotation(pieces.mask.shape, angle)
    ink = ink_map(rotation.apply(image, cv2.BORDER_REPLICATE))
    inside = rotation.apply(np.full_like(pieces.mask, 255))
    edge = max(1, pieces.mask.shape[1] // _EDGE)
    ink[cv2.erode(inside, np.ones((edge, edge), np.uint8)) < 255] = 0
    return (rotation, ink) if 2 * _long_pieces(components_of(ink)).size <= rules.size else None


def _long_pieces(pieces: Components) -> NDArray[np.intp]:
    """Labels of connected strokes that are as long as the remains of rules are, and words are not."""
    long = pieces.stats[:, cv2.CC_STAT_WIDTH] > _RULE * pieces.mask.shape[1]
    return np.flatnonzero(pieces.kept & long)


def _slope(pieces: Components, label: int) -> float:
    """Degrees by which a long stroke falls to the right."""
    x, y, width, height = pieces.stats[label, :4]
    rows, columns = np.nonzero(pieces.labels[y : y + height, x : x + width] == label)
    return float(np.degrees(np.arctan(np.polyfit(columns, rows, 1)[0])))


def level_lines(mask: NDArray[np.uint8]) -> Rotation | None:
    """The rotation that makes lines of writing level; None below 4°, where they are followed without it.

    Args:
        mask: 1 where a stroke is.
    """
    angle = skew_angle(mask)
    return deskew_rotation(mask.shape, angle) if abs(angle) >= _STEEP else None


def deskew_rotation(shape: tuple[int, ...], angle: float) -> Rotation:
    """Build the rotation for lines that fall by ``angle`` degrees to the right.

    Args:
        shape: (height, width) of the page.
        angle: Skew in degrees, as `skew_angle` measures it.
    """
    height, width = shape[:2]
    radians = np.radians(angle)
    cosine, sine = abs(np.cos(radians)), abs(np.sin(radians))
    size = (int(np.ceil(width * cosine + height * sine)), int(np.ceil(height * cosine + width * sine)))
    there = cv2.getRotationMatrix2D((width / 2, height / 2), angle, 1.0)
    there[:, 2] += np.array([size[0] - width, size[1] - height]) / 2
    return Rotation(there, cv2.invertAffineTransform(there), size)


def skew_angle(mask: NDArray[np.uint8], widest: float = 20.0) -> float:
    """Angle of the writing in degrees, positive when lines fall to the right.

    The angle at which the row profile of the ink is sharpest, searched coarsely, then finely.

    Args:
        mask: 1 where a stroke is.
        widest: Largest angle searched.

    Returns:
        The angle; 0 where rotating would not clearly sharpen the profile.
    """
    rows, columns = np.nonzero(mask[::2, ::2].view(bool))
    if rows.size < 50:
        return 0.0
    step = max(1, rows.size // 8_000)
    y, x = rows[::step].astype(np.float32), columns[::step].astype(np.float32)

    def sharpness(angle: float) -> float:
        shifted = y - x * np.float32(np.tan(np.radians(angle)))
        profile = np.bincount((shifted - shifted.min()).astype(np.int64)).astype(np.float64)
        return float(np.square(np.diff(np.convolve(profile, np.ones(3), "same"))).sum())

    best = max(np.arange(-widest, widest + 0.5, 2.0), key=lambda angle: sharpness(float(angle)))
    best = max(np.arange(best - 1.5, best + 1.6, 0.5), key=lambda angle: sharpness(float(angle)))
    # A page of one or two lines has a flat optimum: rotate it only when the profile clearly sharpens.
    return float(best) if sharpness(float(best)) > 1.06 * sharpness(0.0) else 0.0
