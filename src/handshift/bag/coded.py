"""A column with few distinct values, held as small numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """values[codes] is the column: 20,000 names of 60 writers are 20 kB, not 400."""

    values: NDArray[Any]
    codes: NDArray[np.unsignedinteger[Any]]

    @classmethod
    def of(cls, column: ArrayLike) -> Coded:
        """Of a column as it would be written out."""
        values, codes = np.unique(np.asarray(column), return_inverse=True)
        return cls(values, codes.astype(np.min_scalar_type(max(0, values.size - 1))))

    @property
    def column(self) -> NDArray[Any]:
        """Written out."""
        return np.asarray(self.values[self.codes])

    @property
    def nbytes(self) -> int:
        """Bytes of both arrays."""
        return self.values.nbytes + self.codes.nbytes

    def take(self, at: NDArray[np.integer[Any]]) -> Coded:
        """Some of its rows, with the same values."""
        return Coded(self.values, self.codes[at])
