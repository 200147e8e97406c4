"""Paper and ink: a scan of any colour and lighting becomes a map of ink alone."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.ruling import rulings

Ink = NDArray[np.uint8]
"""Height × width, 0 bare paper to 255 full ink."""

_COARSE = 4
"""Lighting changes slowly, so the background is estimated at a quarter of the resolution."""
_WIDEST_STROKE = 0.02
"""Ink wider than this share of the page's width counts as background (shadows, dark borders)."""
_FAINTEST_CONTRAST = 12
"""A page whose darkest strokes differ less than this from the paper (of 255) is blank."""


def ink_map(image: NDArray[np.uint8]) -> Ink:
    """Contrast of each pixel against its own paper, scaled so that the page's typical stroke is 255.

    Every colour channel is compared with its own background and the strongest contrast counts, so blue,
    red and pencil strokes come out alike and tinted paper disappears.
    """
    channels = cv2.split(image) if _is_coloured(image) else [image[..., 1]]
    contrast = _contrast(np.ascontiguousarray(channels[0]))
    for channel in channels[1:]:
        cv2.max(contrast, _contrast(channel), dst=contrast)
    otsu, _ = cv2.threshold(contrast, 0, 1, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    # Of a scan in black and white alone, Otsu's threshold is the lower of its two values: bare paper.
    otsu = otsu or float(contrast.max()) / 2
    if otsu < _FAINTEST_CONTRAST / 2:
        return np.zeros_like(contrast)
    # Printed lines are often fainter than strokes, yet dark enough to tie words together.
    faint = cv2.threshold(contrast, max(_FAINTEST_CONTRAST, otsu / 2), 1, cv2.THRESH_BINARY)[1]
    contrast[rulings(faint) > 0] = 0
    full = _typical_stroke(contrast, otsu)
    if full < _FAINTEST_CONTRAST:
        return np.zeros_like(contrast)
    return cv2.convertScaleAbs(contrast, alpha=255.0 / full)


def _is_coloured(image: NDArray[np.uint8]) -> bool:
    sample = image[::8, ::8].astype(np.int16)
    spread = sample.max(axis=2) - sample.min(axis=2)
    return bool(np.count_nonzero(spread > 12) > 0.0005 * spread.size)


def _contrast(channel: NDArray[np.uint8]) -> Ink:
    """How much darker than its surrounding paper each pixel is, in grey levels of white paper."""
    height, width = channel.shape
    small = cv2.resize(
        channel, (max(1, width // _COARSE), max(1, height // _COARSE)), interpolation=cv2.INTER_AREA
    )
    reach = max(5, int(small.shape[1] * _WIDEST_STROKE) | 1)
    paper = cv2.morphologyEx(small, cv2.MORPH_CLOSE, np.ones((reach, reach), np.uint8))
    paper = cv2.blur(paper, (reach, reach))
    paper = cv2.resize(paper, (width, height), interpolation=cv2.INTER_LINEAR)
    relative = cv2.divide(channel, cv2.max(paper, 32), scale=255.0)
    return cv2.bitwise_not(relative)


def _typical_stroke(contrast: Ink, otsu: float) -> float:
    """Contrast of a well-inked stroke: the upper quartile of what Otsu's threshold calls ink."""
    histogram = np.bincount(contrast.ravel(), minlength=256)[int(otsu) + 1 :]
    if histogram.sum() == 0:
        return 0.0
    return float(otsu + 1 + np.searchsorted(np.cumsum(histogram), 0.75 * histogram.sum()))
