"""Heads and terms by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from handshift.embedding.train.heads.head import Head
from handshift.embedding.train.heads.partial_fc import PartialFC
from handshift.embedding.train.heads.plain_head import Plain
from handshift.embedding.train.heads.sub_center import SubCenter
from handshift.embedding.train.margins.margin import Margin
from handshift.embedding.train.margins.registry import lookup
from handshift.embedding.train.margins.terms import Inter, Intra, Term

HEADS: Mapping[str, Callable[..., Head]] = {
    "plain": Plain,
    "sub-center": SubCenter,
    "partial-fc": PartialFC,
}
TERMS: Mapping[str, Callable[..., Term]] = {"intra": Intra, "inter": Inter}


def make_head(name: str, classes: int, dimensions: int, margin: Margin, **options: Any) -> Head:
    """Build a head by name.

    Args:
        name: A key of `HEADS`.
        classes: Number of classes.
        dimensions: Length of a feature.
        margin: Any margin.
        **options: Further parameters of the head, such as ``centres=3`` or ``sample=0.2``.

    Returns:
        The head.

    Raises:
        HandshiftError: No head has that name, or it has no such option.
    """
    return lookup("head", HEADS, name, options, given=3)(classes, dimensions, margin, **options)


def make_term(name: str, **options: Any) -> Term:
    """Build an additional loss term by name, ``intra`` or ``inter``.

    Raises:
        HandshiftError: No term has that name, or it has no such option.
    """
    return lookup("term", TERMS, name, options)(**options)
