"""The pages that bags are made of, drawn so that no busy writer stands for the rest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from handshift.bag.page_arrays import PageArrays


class Hosts:
    """Writers alike, then the writer's pages alike."""

    def __init__(self, pages: PageArrays, able: NDArray[np.bool_]) -> None:
        chosen = np.flatnonzero(able)
        self._order = chosen[np.argsort(pages.writer[chosen], kind="stable")]
        _, self._first, self._number = np.unique(
            pages.writer[self._order], return_index=True, return_counts=True
        )

    @property
    def any(self) -> bool:
        """Whether there is a page at all."""
        return self._order.size > 0

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """(count,) page numbers."""
        writer = rng.integers(self._first.size, size=count)
        return np.asarray(self._order[self._first[writer] + rng.integers(self._number[writer])])
