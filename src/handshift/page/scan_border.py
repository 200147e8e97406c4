"""Scanner black: dark marks along the edge of a scan, as of a lid, a binding or the sheet's own edge."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.components import Components, components_of
from handshift.page.ink import Ink

_LONG = 8.0
"""Letter heights that a mark runs along the edge; a word that the edge cuts touches it over less."""
_DEEP = 3.0
"""Letter heights off the edge: marks less deep are erased whole, of deeper ones, which may have run into the
writing, only so much."""


_TOUCHED, _INK = 0.03, 95
"""Share of an edge that ink must touch for a closer look, and the level from which on it is ink."""
_MARGIN = 5
"""Pixels about the marks that are painted over too."""


def without_border(image: NDArray[np.uint8], ink: Ink) -> NDArray[np.uint8] | None:
    """The page with scanner black painted in the colour of its paper; None where there is none.

    Args:
        image: RGB pixels, height × width × 3.
        ink: Its ink map.
    """
    edges = (ink[0], ink[-1], ink[:, 0], ink[:, -1])
    if max(float((edge > _INK).mean()) for edge in edges) < _TOUCHED:
        return None
    pieces = components_of(ink)
    black = scan_border(pieces, pieces.letter_height)
    if black is None:
        return None
    wide = cv2.dilate(black.astype(np.uint8), np.ones((_MARGIN, _MARGIN), np.uint8)) > 0
    paper = np.median(image[::8, ::8].reshape(-1, 3), axis=0).astype(np.uint8)
    return np.where(wide[..., None], paper, image)


def scan_border(pieces: Components, letters: float) -> NDArray[np.bool_] | None:
    """Find the ink that lies along the edges of a scan.

    Args:
        pieces: The connected components of a page.
        letters: Median letter height in pixels.

    Returns:
        (height, width) where such ink lies; None where there is none.
    """
    height, width = pieces.mask.shape
    deep = max(1, int(_DEEP * letters))
    edges = (
        (pieces.labels[0], pieces.mask[0], np.s_[:deep, :]),
        (pieces.labels[height - 1], pieces.mask[height - 1], np.s_[height - deep :, :]),
        (pieces.labels[:, 0], pieces.mask[:, 0], np.s_[:, :deep]),
        (pieces.labels[:, width - 1], pieces.mask[:, width - 1], np.s_[:, width - deep :]),
    )
    found = np.zeros((height, width), bool)
    for labels, inked, band in edges:
        touching = np.bincount(labels[inked > 0])
        long = np.flatnonzero(touching > _LONG * letters)
        if letters > 0 and long.size:
            found[band] |= np.isin(pieces.labels[band], long) & (pieces.mask[band] > 0)
    return found if found.any() else None
