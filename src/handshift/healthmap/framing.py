"""How a map is laid under an encoder's patches."""

from __future__ import annotations

from math import ceil
from typing import Literal

from handshift.core.errors import HandshiftError
from handshift.healthmap.dataset import MapProfile
from handshift.healthmap.maps import MapKind
from handshift.healthmap.resizing import Resizing, Side

Framing = Literal["circular", "crop", "whole"]
FRAMINGS: tuple[Framing, ...] = ("circular", "crop", "whole")
TEETH = (4, 8)
"""Rows and columns of a tooth × tooth map under one patch: 31×95 becomes 8×12 patches."""
PICTURE: Side = (16, 16)
MOST = 32
SOURCE_CROP = 448 / 392


def default_tokens(profile: MapProfile) -> Side:
    """Patches of a few teeth for maps, 16×16 for pictures."""
    if profile.kind is not MapKind.FLOAT or profile.size is None:
        return PICTURE
    rows, columns = (
        min(MOST, max(2, ceil(side / teeth))) for side, teeth in zip(profile.size, TEETH, strict=True)
    )
    return rows, columns


def resizing_for(profile: MapProfile, tokens: Side, patch: int, framing: Framing | None = None) -> Resizing:
    """From a map to ``tokens`` patches.

    circular: each patch holds a whole number of teeth, and the frame goes on round the torus until the last
    is full. crop: the source's 448 → 392, which drops 23 %. whole: stretched to the frame, for pictures.
    """
    frame = (tokens[0] * patch, tokens[1] * patch)
    if framing == "crop":
        return Resizing(
            size=(round(frame[0] * SOURCE_CROP), round(frame[1] * SOURCE_CROP)), frame=frame, circular=False
        )
    if framing == "whole" or (framing is None and profile.kind is not MapKind.FLOAT):
        return Resizing.whole(frame)
    if profile.size is None:
        raise HandshiftError("--framing circular: these maps differ in size, so no edge meets its opposite")
    rows, columns = (
        round(side * given / (count * ceil(given / count)))
        for side, given, count in zip(frame, profile.size, tokens, strict=True)
    )
    return Resizing(size=(rows, columns), frame=frame)
