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
    """The head of that name over ``classes`` centres."""
    return lookup("head", HEADS, name, options, given=3)(classes, dimensions, margin, **options)


def make_term(name: str, **options: Any) -> Term:
    """The term of that name, for a head's ``terms``."""
    return lookup("term", TERMS, name, options)(**options)
