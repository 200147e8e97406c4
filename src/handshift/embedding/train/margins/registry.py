"""How steep the softmax must be for a number of classes.

Margins by name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, TypeVar

from handshift.core.errors import HandshiftError
from handshift.embedding.train.margins.adaface import AdaFace
from handshift.embedding.train.margins.combined_margin import Combined
from handshift.embedding.train.margins.curricularface import CurricularFace
from handshift.embedding.train.margins.margin import Margin
from handshift.embedding.train.margins.named_margins import arcface, cosface, sphereface
from handshift.embedding.train.margins.softmax import NormalisedSoftmax, Softmax

MISS = 1e-6  # posterior that may be left to all wrong classes together


def default_scale(classes: int) -> float:
    """s = √2·ln((C − 1)·(1 − ε)/ε), with ε = 10⁻⁶.

    Two bounds joined. CosFace (eq. 6): a sample on its own centre, the others at right angles, reaches the
    posterior P only if s ≥ ln((C − 1)·P/(1 − P)). AdaCos (eq. 10): the sample to count on is not on its
    centre but up to 45° away, which divides by cos 45° and with P = ½ gives its √2·ln(C − 1). P = 1 − 10⁻⁶
    leaves room for what the margin takes away: with 500 classes and an ArcFace margin of 0.5, a sample at
    45° still reaches P = 0.85. The scale runs from 27 for 200 classes to 39 for a million.
    """
    return math.sqrt(2.0) * math.log(max(classes - 1, 1) * (1.0 - MISS) / MISS)


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
