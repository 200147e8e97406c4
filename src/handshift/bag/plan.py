"""The plan of a bag set: kinds in proportions, amounts and patterns of foreign words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from handshift.bag.patterns import Block, Pattern
from handshift.core.errors import HandshiftError


class Kind(Enum):
    """Kind of a bag; only MIXED has several hands, the others are negatives."""

    SINGLE = "one writer, one session"
    PAGES = "one writer, two pages of one session"
    SPLICED = "one writer, two sessions"
    MIXED = "two writers"

    @property
    def word(self) -> str:
        """As a bag set names it: `single`, `pages`, `spliced`, `mixed`."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Plan:
    """Kinds in given proportions; amounts of foreign words, patterns and numbers of hands uniformly.

    All kinds but single pages are drawn in the same patterns and amounts: a spliced bag differs from a mixed
    one in whose words it holds, in nothing else.
    """

    words: int | None = 14
    """Consecutive words of a page in a bag; None takes whole pages."""
    foreign: Sequence[int] = ()
    """Foreign words of a bag, exactly; several amounts are drawn equally often."""
    shares: Sequence[float] = ()
    """Or their share: max(1, round(share × words))."""
    patterns: Sequence[Pattern] = (Block(),)
    writers: Sequence[int] = (2,)
    """Hands in a mixed bag; bags of the other kinds come from as many pages, if the writer has them."""
    same_prompt: bool = True
    """Whether all pages of a bag hold one text, so that vocabulary is not confounded with the hand."""
    kinds: Mapping[Kind, float] = field(default_factory=lambda: {Kind.SINGLE: 1, Kind.MIXED: 1})
    """In which proportion: {SINGLE: 1, MIXED: 2} has twice as many mixed bags as single ones."""

    def __post_init__(self) -> None:
        if bool(self.foreign) == bool(self.shares):
            raise HandshiftError(
                "a plan says how much is foreign by `foreign` words or by `shares`, one of them"
            )
        if any(count < 1 for count in self.foreign) or any(not 0 < share < 1 for share in self.shares):
            raise HandshiftError("foreign words are 1 or more, and their shares between 0 and 1")
        if self.words is not None and max(self.foreign, default=0) >= self.words:
            raise HandshiftError(f"{max(self.foreign)} foreign words leave no host in a bag of {self.words}")
        if not self.patterns or not self.writers or min(self.writers) < 2:
            raise HandshiftError("a plan needs a pattern, and two writers or more in a mixed bag")
        if not self.kinds or min(self.kinds.values()) < 0 or sum(self.kinds.values()) <= 0:
            raise HandshiftError("a plan needs kinds of bags in proportions above 0")

    def amounts(self, turn: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.int64]:
        """(bags,) foreign words of bags of `size` words, `turn` being the index of their amount."""
        if self.foreign:
            return np.asarray(self.foreign, np.int64)[turn]
        return np.maximum(1, np.rint(np.asarray(self.shares)[turn] * size)).astype(np.int64)

    def of_each_kind(self, count: int) -> dict[Kind, int]:
        """`count` bags in the plan's proportions, by largest-remainder apportionment."""
        weight = np.array(list(self.kinds.values()), float)
        exact = count * weight / weight.sum()
        whole = np.floor(exact).astype(int)
        whole[np.argsort(whole - exact, kind="stable")[: count - whole.sum()]] += 1
        return dict(zip(self.kinds, whole.tolist(), strict=True))
