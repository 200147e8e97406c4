"""The long table of a study: one figure of one run per line, ``variant,seed,group,metric,value``."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from handshift.core.errors import StudyError


@dataclass(frozen=True)
class Measurement:
    """One figure of one run."""

    variant: str
    seed: int
    group: str
    metric: str
    value: float


HEADER = [field.name for field in fields(Measurement)]


def read_csv(text: str, path: Path) -> list[Measurement]:
    """Parse the long table.

    Args:
        text: The table, with a header line.
        path: Where it was read, for error messages.

    Returns:
        The figures in the order of the lines.

    Raises:
        StudyError: The header is another, or a line holds no finite figure; the message names the line.
    """
    reader = csv.DictReader(io.StringIO(text))
    if reader.fieldnames is None or sorted(reader.fieldnames) != sorted(HEADER):
        raise StudyError(f"{path}: the first line must be {','.join(HEADER)}, not {reader.fieldnames}")
    found = []
    for row in reader:
        try:
            value = float(row["value"])
            found.append(Measurement(row["variant"], int(row["seed"]), row["group"], row["metric"], value))
        except (TypeError, ValueError) as error:
            raise StudyError(f"{path}, line {reader.line_num}: {error}") from error
        if not math.isfinite(value):
            raise StudyError(f"{path}, line {reader.line_num}: the value is {row['value']}")
    return found


def write_csv(measurements: Iterable[Measurement]) -> str:
    """Format the long table that ``read_csv`` reads."""
    return rows_csv(Measurement, measurements)


def rows_csv(kind: type[Any], rows: Iterable[Any]) -> str:
    """Format instances of one dataclass as CSV: a header of its fields, then one line each."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([field.name for field in fields(kind)])
    writer.writerows(astuple(row) for row in rows)
    return buffer.getvalue()
