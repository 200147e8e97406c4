"""BagSet: many bags as row numbers of one vector array, in a few small arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handshift.bag.coded_column import CodedColumn

Columns = dict[str, CodedColumn]


@dataclass(frozen=True, slots=True)
class Bag:
    """One bag: rows of the vector array in reading order, and which of them come from another page."""

    rows: NDArray[np.int64]
    foreign: NDArray[np.bool_]
    writer: str
    """Of the host page; confidence intervals resample it."""
    label: bool = False
    """Whether the words from the other page are by another hand."""
    kind: str = ""
    key: str = ""


class BagSet:
    """Bags as row numbers: bag b is rows[offsets[b]:offsets[b + 1]], in reading order.

    Args:
        rows: (total,) row of every word, bag after bag.
        offsets: (bags + 1,) where each bag begins.
        foreign: (total,) whether a word comes from another page than the host's. It is by another *hand*
            only where `label` is true: a bag spliced from two sessions has foreign words, but no label.
        label: (bags,) whether several hands wrote the bag.
        writer: (bags,) writer of the host document.
        kind: (bags,) `single`, `pages`, `spliced` or `mixed`.
        key: (bags,) the host document.
        share: (bags,) requested share of foreign words or instances; 0 for none.
        pattern: (bags,) how the foreign words were placed.
        width: words of an instance; above 1, a bag is a sequence of instances of `width` words each.

    Raises:
        ValueError: rows, offsets or columns do not fit together.
    """

    def __init__(
        self,
        rows: ArrayLike,
        offsets: ArrayLike,
        foreign: ArrayLike,
        label: ArrayLike,
        writer: ArrayLike,
        kind: ArrayLike,
        *,
        key: ArrayLike | None = None,
        share: ArrayLike | None = None,
        pattern: ArrayLike | None = None,
        width: int = 1,
    ) -> None:
        if (whole := np.asarray(rows)).size and (whole.min() < 0 or whole.max() > np.iinfo(np.int32).max):
            raise ValueError("rows must be row numbers from 0 to 2³¹ − 1")
        given = whole.astype(np.int32)
        bags = len(np.asarray(label))
        blank = np.full(bags, "")
        columns = {
            "label": CodedColumn.of(np.asarray(label, bool)),
            "writer": CodedColumn.of(writer),
            "kind": CodedColumn.of(kind),
            "key": CodedColumn.of(blank if key is None else key),
            "share": CodedColumn.of(np.zeros(bags) if share is None else share),
            "pattern": CodedColumn.of(blank if pattern is None else pattern),
        }
        self._hold(np.where(foreign, ~given, given), np.asarray(offsets), columns, width)

    @classmethod
    def of_parts(
        cls, signed: NDArray[np.int32], offsets: NDArray[Any], columns: Columns, width: int
    ) -> BagSet:
        """From the arrays that the attributes of the same names hold."""
        made = cls.__new__(cls)
        made._hold(signed, offsets, columns, width)
        return made

    def _hold(self, signed: NDArray[np.int32], offsets: NDArray[Any], columns: Columns, width: int) -> None:
        lengths = _lengths(offsets)
        if offsets.size == 0 or offsets[0] != 0 or (lengths < 0).any() or offsets[-1] != signed.size:
            raise ValueError("offsets must begin with 0, be non-decreasing, and end with the number of rows")
        for name, column in columns.items():
            if column.codes.shape != lengths.shape:
                raise ValueError(f"{name} has {column.codes.size} entries for {lengths.size} bags")
        if width < 1 or (lengths % width).any():
            raise ValueError(f"every bag must hold whole instances of {width} words")
        small = signed.size <= np.iinfo(np.uint32).max
        self.signed = signed
        """(total,) int32: the row, or for a word from another page its complement ~row, which is negative."""
        self.offsets = offsets.astype(np.uint32 if small else np.int64)
        self.columns = columns
        self.width = width

    @property
    def rows(self) -> NDArray[np.int32]:
        """(total,) rows of the vector array, bag after bag."""
        return np.asarray(self.signed ^ (self.signed >> 31))

    @property
    def foreign(self) -> NDArray[np.bool_]:
        """(total,) whether a word comes from another page than the host's."""
        return np.asarray(self.signed < 0)

    @property
    def label(self) -> NDArray[np.bool_]:
        """(bags,) whether several hands wrote the bag."""
        return self.columns["label"].column

    @property
    def writer(self) -> NDArray[np.str_]:
        """(bags,) who wrote the host document."""
        return self.columns["writer"].column

    @property
    def kind(self) -> NDArray[np.str_]:
        """(bags,) `single`, `pages`, `spliced` or `mixed`."""
        return self.columns["kind"].column

    @property
    def key(self) -> NDArray[np.str_]:
        """(bags,) the host document."""
        return self.columns["key"].column

    @property
    def share(self) -> NDArray[np.float64]:
        """(bags,) requested share of foreign words or instances; 0 in a bag of one page."""
        return self.columns["share"].column

    @property
    def pattern(self) -> NDArray[np.str_]:
        """(bags,) how the foreign words were placed."""
        return self.columns["pattern"].column

    @property
    def sizes(self) -> NDArray[np.int64]:
        """(bags,) number of words of each bag."""
        return _lengths(self.offsets)

    @property
    def foreign_words(self) -> NDArray[np.int64]:
        """(bags,) number of foreign words of each bag."""
        total = np.concatenate([[0], np.cumsum(self.foreign)])
        return np.asarray(total[self.offsets[1:]] - total[self.offsets[:-1]], np.int64)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return self.signed.nbytes + self.offsets.nbytes + sum(c.nbytes for c in self.columns.values())

    def __len__(self) -> int:
        return self.offsets.size - 1

    def __getitem__(self, index: int) -> Bag:
        bag = range(len(self))[index]
        signed = self.signed[self.offsets[bag] : self.offsets[bag + 1]]
        writer, kind, key = (str(self.columns[name][bag]) for name in ("writer", "kind", "key"))
        rows = (signed ^ (signed >> 31)).astype(np.int64)
        return Bag(rows, signed < 0, writer, bool(self.columns["label"][bag]), kind, key)

    def __iter__(self) -> Iterator[Bag]:
        return (self[bag] for bag in range(len(self)))

    def take(self, indices: ArrayLike) -> BagSet:
        """The bags of these indices in this order, or of a boolean mask (bags,)."""
        chosen = np.arange(len(self))[np.asarray(indices)]
        sizes = self.sizes[chosen]
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        at = np.arange(offsets[-1]) + np.repeat(self.offsets[chosen] - offsets[:-1], sizes)
        columns = {name: column.take(chosen) for name, column in self.columns.items()}
        return BagSet.of_parts(self.signed[at], offsets, columns, self.width)

    def padded(
        self, indices: ArrayLike | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Rows, mask and foreign flags of these bags, or all, padded to (bags, longest bag).

        The mask is true on words; where it is false, the row is 0.
        """
        chosen = np.arange(len(self)) if indices is None else np.arange(len(self))[np.asarray(indices)]
        sizes = self.sizes[chosen]
        steps = np.arange(int(sizes.max(initial=0)))
        mask = steps < sizes[:, None]
        at = np.where(mask, self.offsets[chosen].astype(np.int64)[:, None] + steps, 0)
        signed = np.where(mask, self.signed[at], 0) if self.signed.size else np.zeros(at.shape, np.int32)
        return (signed ^ (signed >> 31)).astype(np.int64), mask, signed < 0


def joined(sets: Sequence[BagSet]) -> BagSet:
    """Concatenate bag sets.

    Raises:
        ValueError: their instances have different widths.
    """
    if len({bags.width for bags in sets}) != 1:
        raise ValueError("bag sets can be joined where their instances have the same number of words")
    sizes = np.concatenate([bags.sizes for bags in sets])
    columns = {name: CodedColumn.joined([bags.columns[name] for bags in sets]) for name in sets[0].columns}
    signed = np.concatenate([bags.signed for bags in sets])
    return BagSet.of_parts(signed, np.concatenate([[0], np.cumsum(sizes)]), columns, sets[0].width)


def _lengths(offsets: NDArray[Any]) -> NDArray[np.int64]:
    wide: NDArray[np.int64] = offsets.astype(np.int64)
    return wide[1:] - wide[:-1]
