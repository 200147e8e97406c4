"""Downscaled word crops, for studies that train many networks on one core."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from handshift.core.errors import HandshiftError
from handshift.core.loaders import map_npy
from handshift.embedding.crops.collection import WordCollection


def downscaled(words: WordCollection, factor: int) -> WordCollection:
    """Average `factor` × `factor` pixels into one.

    Args:
        words: Crops (words, 64, 240).
        factor: f, which must divide height and width.

    Returns:
        The same words with crops (words, 64/f, 240/f), in memory.

    Raises:
        HandshiftError: The factor does not divide height and width.
    """
    if factor == 1:
        return words
    height, width = words.crops.shape[1:]
    if factor < 1 or height % factor or width % factor:
        raise HandshiftError(
            f"pictures of {height} × {width} cannot be downscaled {factor} times: the factor must divide both"
        )
    size = (width // factor, height // factor)
    crops = np.empty((len(words.crops), *size[::-1]), np.uint8)
    for row, crop in enumerate(words.crops):
        cv2.resize(crop, size, dst=crops[row], interpolation=cv2.INTER_AREA)
    return replace(words, crops=crops)


def load_downscaled(folder: Path, factor: int) -> WordCollection:
    """Open the crops of `folder` downscaled by `factor`; they are computed once and cached beside them."""
    words = WordCollection.load(folder)
    kept = folder / f"crops-{factor}.npy"
    if factor > 1 and not (kept.exists() and kept.stat().st_mtime >= (folder / "crops.npy").stat().st_mtime):
        unfinished = folder / f"crops-{factor}.{os.getpid()}.npy"
        np.save(unfinished, downscaled(words, factor).crops)
        unfinished.replace(kept)
    return words if factor == 1 else replace(words, crops=map_npy(kept))
