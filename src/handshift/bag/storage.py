"""Bag sets on disk: two npy arrays and a Parquet table, never pickled."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from handshift.bag.bagset import BagSet
from handshift.bag.coded_column import CodedColumn
from handshift.core.atomic import write_bytes
from handshift.core.errors import HandshiftError
from handshift.core.loaders import LoadError, read_npy
from handshift.core.pyarrow import pyarrow_modules

ROWS, OFFSETS, TABLE = "rows.npy", "offsets.npy", "bags.parquet"
COLUMNS = ("label", "writer", "kind", "key", "share", "pattern")


class BagSetError(HandshiftError):
    """A folder does not hold a bag set that can be used."""


def save_bags(bags: BagSet, folder: Path) -> None:
    """Write rows.npy (int32, foreign words as ~row), offsets.npy, and bags.parquet with a row per bag."""
    arrow, parquet = pyarrow_modules("saving and loading bags")
    table = arrow.table({name: bags.columns[name].column for name in COLUMNS})
    check = _check(bags.signed, bags.offsets)
    table = table.replace_schema_metadata({"check": str(check), "width": str(bags.width)})
    content = io.BytesIO()
    parquet.write_table(table, content)
    write_bytes(folder / ROWS, _npy(bags.signed))
    write_bytes(folder / OFFSETS, _npy(bags.offsets))
    write_bytes(folder / TABLE, content.getvalue())  # last: it says what the others must hold


def load_bags(folder: Path, vectors: int) -> BagSet:
    """Read a bag set that `save_bags` wrote.

    Args:
        folder: of the set.
        vectors: number of rows of the vector array that the bags index.

    Raises:
        BagSetError: the files are missing, damaged or of different sets, or index rows beyond `vectors`.
    """
    arrow, parquet = pyarrow_modules("saving and loading bags")
    try:
        table = parquet.read_table(folder / TABLE)
        columns = {name: CodedColumn.of(_column(table, name)) for name in COLUMNS}
        about = {key.decode(): int(value) for key, value in table.schema.metadata.items() if value.isdigit()}
        signed = read_npy(folder / ROWS)
        offsets = read_npy(folder / OFFSETS)
        if signed.dtype != np.int32 or _check(signed, offsets) != about["check"]:
            raise ValueError(f"{ROWS}, {OFFSETS} and {TABLE} are not of one set")
        bags = BagSet.of_parts(signed, offsets, columns, about["width"])
    except (OSError, ValueError, KeyError, AttributeError, LoadError, arrow.ArrowException) as error:
        raise BagSetError(f"{folder}: not a bag set ({error}). Save it again with save_bags.") from error
    if bags.rows.max(initial=-1) >= vectors:
        raise BagSetError(
            f"{folder}: a bag asks for row {bags.rows.max()} of {vectors} vectors. "
            "Give the array that it was drawn for."
        )
    return bags


def _column(table: Any, name: str) -> NDArray[Any]:
    kind = {"label": np.bool_, "share": np.float64}.get(name, np.str_)
    return np.array(table.column(name).to_pylist(), kind)


def _check(signed: NDArray[np.int32], offsets: NDArray[Any]) -> int:
    """Checksum that ties the files of one set together."""
    return crc32(offsets.tobytes(), crc32(signed.tobytes()))


def _npy(array: NDArray[Any]) -> bytes:
    content = io.BytesIO()
    np.save(content, array, allow_pickle=False)
    return content.getvalue()
