"""Numeric tables in text, as loggers export them: header lines, decimal commas, UTF-8 or Latin-1."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO

import numpy as np
from numpy.typing import NDArray

HEAD = 8192
"""Bytes from which the layout is recognised."""
FEWEST = 2
"""Numeric lines with equally many cells that make a table."""


@dataclass(frozen=True)
class TableLayout:
    """How the cells of a table are written.

    Attributes:
        delimiter: Between cells; a blank stands for any white space.
        comma: Whether decimals are written with a comma.
        header: Lines before the first numeric one.
        names: Of the columns, numbers from 1 where no header line has as many cells.
    """

    delimiter: str
    comma: bool
    header: int
    names: tuple[str, ...]

    @classmethod
    def of(cls, content: bytes) -> TableLayout | None:
        """Recognise a table by its first lines; None for anything else."""
        if b"\0" in content[:HEAD]:
            return None
        lines = decoded(content[:HEAD]).split("\n")
        # The last line may be cut off, and the header too long to reach a number: then it is no table.
        lines = [line.strip("\r") for line in lines[:-1]]
        for delimiter in (";", "\t", ",", " "):
            for comma in (False, True) if delimiter != "," else (False,):
                found = cls._divided(lines, delimiter, comma)
                if found is not None:
                    return found
        return None

    @classmethod
    def _divided(cls, lines: list[str], delimiter: str, comma: bool) -> TableLayout | None:
        rows = [_cells(line, delimiter) for line in lines]
        numeric = [_numeric(row, comma) for row in rows]
        while rows and rows[-1] in ([], [""]):  # blank lines at the end
            rows.pop(), numeric.pop()
        first = next((at for at, one in enumerate(numeric) if one), len(rows))
        width = len(rows[first]) if first < len(rows) else 0
        body = rows[first:]
        if len(body) < FEWEST or not all(numeric[first:]) or any(len(row) != width for row in body):
            return None
        if width == 1 and delimiter != ",":  # a single column is the same whatever divides it
            return None
        titles = next((row for row in rows[:first] if len(row) == width), None)
        names = titles or [str(number + 1) for number in range(width)]
        return cls(delimiter, comma, first, tuple(name.strip("#").strip().strip('"') for name in names))

    def read(self, content: bytes) -> dict[str, NDArray[np.float64]]:
        """All columns by name.

        Raises:
            ValueError: A cell is no number, or a line has another number of cells.
        """
        text = decoded(content)
        text = text.replace(",", ".") if self.comma else text
        delimiter = None if self.delimiter == " " else self.delimiter
        values = np.loadtxt(StringIO(text), delimiter=delimiter, skiprows=self.header, ndmin=2)
        return {name: values[:, at] for at, name in enumerate(self.names)}


def decoded(content: bytes) -> str:
    """Text of either encoding."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _cells(line: str, delimiter: str) -> list[str]:
    return [cell.strip() for cell in line.split(None if delimiter == " " else delimiter)]


def _numeric(cells: list[str], comma: bool) -> bool:
    try:
        return bool([float(cell.replace(",", ".") if comma else cell) for cell in cells])
    except ValueError:
        return False
