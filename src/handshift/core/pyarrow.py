"""pyarrow, which only the `train` extra installs, imported when a Parquet file is written or read."""

from __future__ import annotations

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
