"""What a further term of the loss may look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from torch import Tensor


@dataclass(frozen=True)
class Angles:
    """The batch's angles, handed to the terms by the head; ``between`` is only computed if a term asks."""

    target: Tensor
    """(batch,) cosine of each sample with its own centre."""
    between: Callable[[], Tensor]
    """→ (batch,): mean angle from each sample's own centre to the other classes' centres."""


class Term(Protocol):
    """Something added to the cross-entropy."""

    def __call__(self, angles: Angles) -> Tensor:
        """A number."""
        ...
