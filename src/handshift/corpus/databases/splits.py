"""Writer splits of the databases, one JSON file each, checked against the records when they are loaded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from handshift.core.errors import CorpusError
from handshift.corpus.databases.record import Database
from handshift.corpus.split import Stratum, WriterSplit

PARTS = ("train", "calibration", "validation", "test")
SEED = 2026

_USUAL = (
    # Only writers with two sheets can be verified; those with one serve training.
    Stratum(2, {"train": 0.58, "calibration": 0.10, "validation": 0.10, "test": 0.22}),
    Stratum(1, {"train": 0.80, "calibration": 0.08, "validation": 0.03, "test": 0.09}),
)
_STRATA = {
    # 53 writers have two pages: enough of them must be left to validate and test on.
    "copiste": (
        Stratum(2, {"train": 0.42, "calibration": 0.16, "validation": 0.20, "test": 0.22}),
        Stratum(1, {"train": 0.80, "calibration": 0.08, "validation": 0.03, "test": 0.09}),
    ),
    # One word, but 1,525 writers: a tenth is plenty to test on.
    "cedar": (
        Stratum(2, {"train": 0.80, "calibration": 0.05, "validation": 0.05, "test": 0.10}),
        Stratum(1, {"train": 0.80, "calibration": 0.05, "validation": 0.05, "test": 0.10}),
    ),
}


def make_split(database: Database, seed: int = SEED) -> WriterSplit:
    """Deal out the writers of a database.

    Args:
        database: The records.
        seed: Of the lot; a writer's draw depends on seed and name alone.

    Returns:
        The four parts, with the writers' names as the database has them.
    """
    sheets = {_own_name(writer): count for writer, count in database.writers.items()}
    return WriterSplit.make(database.name, sheets, seed, _STRATA.get(database.name, _USUAL))


def load_split(database: Database, folder: Path) -> WriterSplit:
    """Read `<folder>/<database>.json` and check it.

    Args:
        database: The records it is meant for.
        folder: Where the splits lie.

    Returns:
        The split with writer names that are unique over all databases, as records have them.

    Raises:
        CorpusError: The file is missing or damaged, names a writer that the database lacks or one twice,
            leaves a writer of the database out, or lacks a part.
    """
    path = folder / f"{database.name}.json"
    known = [_own_name(writer) for writer in database.writers]
    split = WriterSplit.load(path, known)
    if missing := [part for part in PARTS if part not in split.parts]:
        raise CorpusError(f"{path}: the split has no part {missing[0]!r}")
    if left_out := sorted(set(known) - set().union(*split.parts.values())):
        raise CorpusError(
            f"{path}: {len(left_out)} writer(s) of {database.name} are in no part, {left_out[0]!r} among them"
        )
    parts = {
        part: tuple(f"{database.name}/{name}" for name in writers) for part, writers in split.parts.items()
    }
    return replace(split, parts=parts)


def _own_name(writer: str) -> str:
    return writer.partition("/")[2]
