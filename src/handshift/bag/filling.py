"""Words of the guests put in the place of the host's, from the same place in the text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from handshift.bag.page_arrays import PageArrays
from handshift.bag.partners import Numbers


def fill(
    pages: PageArrays, host: Numbers, first: Numbers, size: Numbers, guests: Numbers, part: Numbers
) -> NDArray[np.int32]:
    """Signed rows (total,) as a bag set holds them: a guest's words as ~row.

    A bag is the `size` words of `host` from the `first` on; where `part` (bags, longest) is g > 0, the word
    is of guests[:, g − 1] instead, no word twice.
    """
    place = np.arange(part.shape[1])
    inside = place < size[:, None]
    at = np.where(inside, (pages.start[host] + first)[:, None] + place, 0)
    signed = pages.rows[at]
    for column in range(guests.shape[1]):
        own = part == column + 1
        if own.any():
            taken = _places(own, first, pages.size[host], pages.size[guests[:, column]])
            rows = pages.rows[np.where(own, pages.start[guests[:, column], None] + taken, 0)]
            signed = np.where(own, ~rows, signed)
    return signed[inside].astype(np.int32)


def _places(own: NDArray[np.bool_], first: Numbers, host_size: Numbers, guest_size: Numbers) -> Numbers:
    """(bags, longest) which words of the guest stand where `own` is true: rising, and runs kept together.

    A run that begins at word i of the host's page begins at round(i · guest size / host size) of the guest's:
    the same place in the text, as far as two segmentations of it agree.
    """
    place = np.arange(own.shape[1])
    begins = own.copy()
    begins[:, 1:] &= ~own[:, :-1]
    start = np.maximum.accumulate(np.where(begins, place, 0), axis=1)
    wanted = np.rint((first[:, None] + start) * (guest_size / host_size)[:, None]).astype(np.int64)
    wanted += place - start
    rank = np.cumsum(own, axis=1) - 1
    # Runs may be wanted at overlapping places, or beyond the end: pushed on, then back, they stay rising.
    rising = np.maximum.accumulate(np.where(own, wanted - rank, 0), axis=1) + rank
    return np.asarray(np.minimum(rising, (guest_size - own.sum(axis=1))[:, None] + rank))
