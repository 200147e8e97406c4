"""Dictionary-encoded column: few distinct values, stored as small integer codes."""

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
    """Sorted; text as UTF-8 bytes, a quarter of the size of numpy's own."""
    codes: NDArray[np.unsignedinteger[Any]]

    @classmethod
    def of(cls, column: ArrayLike) -> CodedColumn:
        """Encode a plain column."""
        values, codes = np.unique(np.asarray(column), return_inverse=True)
        if values.dtype.kind == "U":
            values = np.char.encode(values, "utf-8")
        return cls(values, codes.astype(_smallest(values)))

    @classmethod
    def joined(cls, columns: Sequence[CodedColumn]) -> CodedColumn:
        """Concatenate; unused values are dropped."""
        used = [np.unique(column.codes) for column in columns]
        values = np.unique(np.concatenate([c.values[own] for c, own in zip(columns, used, strict=True)]))
        codes = [np.searchsorted(values, c.values)[c.codes] for c in columns]
        return cls(values, np.concatenate(codes).astype(_smallest(values)))

    @property
    def column(self) -> NDArray[Any]:
        """The decoded column."""
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
        """The rows at these indices, with the same values."""
        return CodedColumn(self.values, self.codes[at])


def _smallest(values: NDArray[Any]) -> np.dtype[Any]:
    """The narrowest integer type for the codes."""
    return np.min_scalar_type(max(0, values.size - 1))
