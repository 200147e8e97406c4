"""Margins by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, TypeVar

from handshift.embed.margins.adaface import AdaFace
from handshift.embed.margins.combined import Combined
from handshift.embed.margins.corners import arcface, cosface, sphereface
from handshift.embed.margins.curricularface import CurricularFace
from handshift.embed.margins.margin import Margin
from handshift.embed.margins.normalised_softmax import NormalisedSoftmax
from handshift.embed.margins.scale import default_scale
from handshift.embed.margins.softmax import Softmax
from handshift.error import HandshiftError

Made = TypeVar("Made")

MARGINS: Mapping[str, Callable[..., Margin]] = {
    "softmax": Softmax,
    "normalised-softmax": NormalisedSoftmax,
    "combined": Combined,
    "sphereface": sphereface,
    "arcface": arcface,
    "cosface": cosface,
    "curricularface": CurricularFace,
    "adaface": AdaFace,
}


def make_margin(name: str, classes: int, **options: Any) -> Margin:
    """The margin of that name; its scale follows the class count unless ``scale`` is among the options."""
    maker = lookup("margin", MARGINS, name, options)
    if "scale" in signature(maker).parameters:
        options.setdefault("scale", default_scale(classes))
    return maker(**options)


def lookup(
    kind: str, known: Mapping[str, Callable[..., Made]], name: str, options: Mapping[str, Any], given: int = 0
) -> Callable[..., Made]:
    """What makes ``name``, once all ``options`` are among its parameters after the first ``given``."""
    if name not in known:
        raise HandshiftError(f"There is no {kind} {name!r}. Choose one of: {', '.join(known)}.")
    allowed = list(signature(known[name]).parameters)[given:]
    for option in options:
        if option not in allowed:
            has = f"its options are: {', '.join(allowed)}" if allowed else "it has no options"
            raise HandshiftError(f"The {kind} {name!r} has no option {option!r}; {has}.")
    return known[name]
