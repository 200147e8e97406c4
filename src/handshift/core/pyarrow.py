"""pyarrow, which only the `train` extra installs, imported when a Parquet file is written or read."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from handshift.core.errors import HandshiftError


def pyarrow_modules(purpose: str) -> tuple[Any, Any]:
    """Import pyarrow and its Parquet module.

    Args:
        purpose: What needs it, for the error message: "saving and loading bags".

    Returns:
        The two modules.

    Raises:
        HandshiftError: pyarrow is not installed.
    """
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise HandshiftError(
            f"{purpose} needs pyarrow: install it with pip install 'handshift[train]'"
        ) from error


def read_table(file: Any, columns: Sequence[str] | None = None) -> Any:
    """Read a Parquet file in this thread alone.

    Arrow's own threads may still hold a Python file when the interpreter ends: one command in some thirty
    then ended with "terminate called without an active exception" after all its work was done.

    Args:
        file: An open file, or its bytes.
        columns: Some of them only.

    Returns:
        A table.
    """
    _, parquet = pyarrow_modules("reading Parquet")
    return parquet.read_table(file, columns=columns, use_threads=False, pre_buffer=False)
