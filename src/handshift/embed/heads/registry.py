"""Heads and terms by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from handshift.embed.heads.head import Head
from handshift.embed.heads.partial_fc import PartialFC
from handshift.embed.heads.plain import Plain
from handshift.embed.heads.sub_center import SubCenter
from handshift.embed.margins.inter import Inter
from handshift.embed.margins.intra import Intra
from handshift.embed.margins.margin import Margin
from handshift.embed.margins.registry import lookup
from handshift.embed.margins.term import Term

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
