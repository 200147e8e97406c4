"""A column with few distinct values, held as small numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True, eq=False)
class CodedColumn:
    """values[codes] is the column: 20,000 names of 60 writers are 20 kB, not 400."""

    values: NDArray[Any]
    """Rising; text as UTF-8, a quarter of what numpy's own needs."""
    codes: NDArray[np.unsignedinteger[Any]]

    @classmethod
    def of(cls, column: ArrayLike) -> CodedColumn:
        """Of a column as it would be written out."""
        values, codes = np.unique(np.asarray(column), return_inverse=True)
        if values.dtype.kind == "U":
            values = np.char.encode(values, "utf-8")
        return cls(values, codes.astype(_smallest(values)))

    @classmethod
    def joined(cls, columns: Sequence[CodedColumn]) -> CodedColumn:
        """One after another; values that no row has are left out."""
        used = [np.unique(column.codes) for column in columns]
        values = np.unique(np.concatenate([c.values[own] for c, own in zip(columns, used, strict=True)]))
        codes = [np.searchsorted(values, c.values)[c.codes] for c in columns]
        return cls(values, np.concatenate(codes).astype(_smallest(values)))

    @property
    def column(self) -> NDArray[Any]:
        """Written out."""
        text = self.values.dtype.kind == "S"
        values = np.char.decode(self.values, "utf-8") if text else self.values
        return np.asarray(values[self.codes])

    def __getitem__(self, row: int) -> Any:
        value = self.values[self.codes[row]]
        return value.decode() if isinstance(value, bytes) else value

    @property
    def nbytes(self) -> int:
        """Bytes of both arrays."""
        return self.values.nbytes + self.codes.nbytes

    def take(self, at: NDArray[np.integer[Any]]) -> CodedColumn:
        """Some of its rows, with the same values."""
        return CodedColumn(self.values, self.codes[at])


def _smallest(values: NDArray[Any]) -> np.dtype[Any]:
    """The narrowest type that numbers them."""
    return np.min_scalar_type(max(0, values.size - 1))
