"""The result of a verification: the comparison, and what of either side it rests on."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.comparison import Comparison
from handshift.page.word import Page


@dataclass(frozen=True, slots=True)
class ComparedPage:
    """One page of a side, and how much each of its words moves the comparison."""

    page: Page
    influence: NDArray[np.float64] = field(repr=False)
    """(words,) the score with the word less the score without it, natural log; positive supports one writer,
    NaN where the word is not legible."""


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """The pages of one side, and the hands found on them."""

    name: str
    pages: tuple[ComparedPage, ...] = field(repr=False)
    hands: dict[str, int]
    """Every hand found on the side and how many words it wrote, A first."""


@dataclass(frozen=True, slots=True)
class Verification:
    """A comparison of two sides, each examined first."""

    comparison: Comparison
    sides: tuple[ComparedSide, ComparedSide]
