"""Margins by name, and the default scale for a number of classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, NamedTuple, TypeVar

from handshift.core.errors import HandshiftError
from handshift.embedding.train.margins.adaface import AdaFace
from handshift.embedding.train.margins.arcface import arcface
from handshift.embedding.train.margins.combined_margin import CombinedMargin
from handshift.embedding.train.margins.cosface import cosface
from handshift.embedding.train.margins.curricularface import CurricularFace
from handshift.embedding.train.margins.margin import Margin
from handshift.embedding.train.margins.softmax import NormalisedSoftmax, Softmax
from handshift.embedding.train.margins.sphereface import sphereface

_EPSILON = 1e-6  # posterior that may be left to all wrong classes together


def default_scale(classes: int) -> float:
    """Compute the default scale, s = √2·ln((C − 1)·(1 − ε)/ε), with ε = 10⁻⁶.

    The formula combines two lower bounds. CosFace (eq. 6): a sample on its own centre, the others at right
    angles, reaches the posterior P only if s ≥ ln((C − 1)·P/(1 − P)). AdaCos (eq. 10): a typical sample is
    not on its centre but up to 45° away, which divides by cos 45° and with P = ½ gives √2·ln(C − 1).
    P = 1 − 10⁻⁶ leaves room for the margin: with 500 classes and an ArcFace margin of 0.5, a sample at 45°
    still reaches P = 0.85. The scale runs from 27 for 200 classes to 39 for a million.

    Args:
        classes: C, the number of classes.

    Returns:
        The scale s.
    """
    return math.sqrt(2.0) * math.log(max(classes - 1, 1) * (1.0 - _EPSILON) / _EPSILON)


Made = TypeVar("Made")


class _Expected(NamedTuple):
    types: tuple[type, ...]
    description: str


_EXPECTED = {
    float: _Expected((int, float), "a number"),
    int: _Expected((int,), "a whole number"),
    str: _Expected((str,), "a name"),
    bool: _Expected((bool, int), "0 or 1"),
}

MARGINS: Mapping[str, Callable[..., Margin]] = {
    "softmax": Softmax,
    "normalised-softmax": NormalisedSoftmax,
    "combined": CombinedMargin,
    "sphereface": sphereface,
    "arcface": arcface,
    "cosface": cosface,
    "curricularface": CurricularFace,
    "adaface": AdaFace,
}


def make_margin(name: str, classes: int, **options: Any) -> Margin:
    """Build a margin by name.

    Args:
        name: A key of `MARGINS`.
        classes: Number of classes, which decides the scale unless ``scale`` is among the options.
        **options: Parameters of the margin, such as ``margin=0.5`` or ``m1=0.9``.

    Returns:
        The margin.

    Raises:
        HandshiftError: No margin has that name, or the margin has no such option or not of that type.
    """
    maker = lookup("margin", MARGINS, name, options)
    if "scale" in signature(maker).parameters:
        options.setdefault("scale", default_scale(classes))
    return maker(**options)


def lookup(
    kind: str, known: Mapping[str, Callable[..., Made]], name: str, options: Mapping[str, Any], given: int = 0
) -> Callable[..., Made]:
    """Find the factory called ``name`` and check that it takes the ``options``.

    Args:
        kind: What is looked up, for the error message: margin, head, term or pair loss.
        known: The factories by name.
        name: The wanted name.
        options: Options that will be passed by keyword.
        given: Number of leading parameters that are not options.

    Returns:
        The factory.

    Raises:
        HandshiftError: No factory has that name, or it has no such option, or not of that type.
    """
    if name not in known:
        raise HandshiftError(f"There is no {kind} {name!r}. Choose one of: {', '.join(known)}.")
    parameters = list(signature(known[name], eval_str=True).parameters.items())[given:]
    kinds = {option: parameter.annotation for option, parameter in parameters}
    for option, value in options.items():
        if option not in kinds:
            has = f"its options are: {', '.join(kinds)}" if kinds else "it has no options"
            raise HandshiftError(f"The {kind} {name!r} has no option {option!r}; {has}.")
        if (wanted := _EXPECTED.get(kinds[option])) and not isinstance(value, wanted.types):
            raise HandshiftError(
                f"The {kind} {name!r}: {option} should be {wanted.description}, not {value!r}."
            )
    return known[name]
