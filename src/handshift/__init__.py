"""handshift finds the words in a handwritten page that another hand wrote."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handshift.evidence.verdict import Verdict

__version__ = "0.1.0"
__all__ = ["__version__", "examine"]


def examine(path: Path | str, *, model: str | None = None) -> Verdict:
    """Examine the first page of a scan with the shipped model, or with another."""
    from handshift.examination import Examiner

    return next(Examiner(model).examine(path))
