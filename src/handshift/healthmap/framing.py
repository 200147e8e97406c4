"""Layout of a map on the patch grid of an encoder: circular padding, crop, or resize."""

from __future__ import annotations

from math import ceil
from typing import Literal

from handshift.core.errors import HandshiftError
from handshift.healthmap.dataset import MapProfile
from handshift.healthmap.health_map import MapKind
from handshift.healthmap.resizing import Resizing, Side

MapFraming = Literal["circular", "crop", "whole"]
"""Of maps that are all scored in the whole frame."""
Framing = MapFraming | Literal["fitted"]
FRAMINGS: tuple[Framing, ...] = ("circular", "crop", "whole", "fitted")
TEETH_PER_PATCH = (4, 8)
"""Rows and columns of a tooth × tooth map covered by one patch: 31×95 becomes 8×12 patches."""
PICTURE_TOKENS: Side = (16, 16)
MAX_TOKENS = 32
"""Along one axis."""
SOURCE_CROP = 448 / 392


def default_tokens(profile: MapProfile) -> Side:
    """Rows and columns of patches: a few teeth each for float maps, 16×16 patches for pictures."""
    if profile.kind is not MapKind.FLOAT or profile.size is None:
        return PICTURE_TOKENS
    return patches_along(profile.size)


def patches_along(size: Side) -> Side:
    """Rows and columns of patches that cover a float map of this size."""
    rows, columns = (
        min(MAX_TOKENS, max(2, ceil(side / teeth))) for side, teeth in zip(size, TEETH_PER_PATCH, strict=True)
    )
    return rows, columns


def resizing_for(profile: MapProfile, tokens: Side, patch: int, framing: Framing | None = None) -> Resizing:
    """The resizing that brings maps to ``tokens`` patches.

    Args:
        profile: Kind and size of the training maps.
        tokens: Rows and columns of patches.
        patch: Side of a patch in pixels.
        framing: ``circular``: every patch covers a whole number of teeth, and circular padding fills the last
            one. ``crop``: the source's 448 → 392, which drops 23 % of the map. ``whole``: resized to the
            frame, for pictures. ``fitted``: as large as fits into the frame, every picture at its own shape.
            None: circular for float maps, whole for pictures.

    Returns:
        The resizing.

    Raises:
        HandshiftError: Circular padding of maps that differ in size.
    """
    frame = (tokens[0] * patch, tokens[1] * patch)
    if framing == "crop":
        return Resizing(
            size=(round(frame[0] * SOURCE_CROP), round(frame[1] * SOURCE_CROP)), frame=frame, circular=False
        )
    if framing == "fitted":
        return Resizing.fitted(frame)
    if framing == "whole" or (framing is None and profile.kind is not MapKind.FLOAT):
        return Resizing.whole(frame)
    if profile.size is None:
        raise HandshiftError(
            "--framing circular: these maps differ in size, so opposite edges do not meet; use whole"
        )
    rows, columns = (
        round(side * pixels / (count * ceil(pixels / count)))
        for side, pixels, count in zip(frame, profile.size, tokens, strict=True)
    )
    return Resizing(size=(rows, columns), frame=frame)
