"""Smaller word pictures, for studies that train many networks on one core."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from handshift.embed.collection import WordCollection
from handshift.error import HandshiftError


def shrunk(words: WordCollection, factor: int) -> WordCollection:
    """The same words, each `factor` × `factor` pixels averaged into one: (words, 64/f, 240/f), in memory."""
    if factor == 1:
        return words
    height, width = words.crops.shape[1:]
    if factor < 1 or height % factor or width % factor:
        raise HandshiftError(
            f"pictures of {height} × {width} cannot be shrunk {factor} times: the factor must divide both"
        )
    size = (width // factor, height // factor)
    crops = np.empty((len(words.crops), *size[::-1]), np.uint8)
    for row, crop in enumerate(words.crops):
        cv2.resize(crop, size, dst=crops[row], interpolation=cv2.INTER_AREA)
    return replace(words, crops=crops)
