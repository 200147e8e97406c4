"""A folder of bags on disk, between `handshift bags` and `handshift train detect --bags`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from typing_extensions import TypedDict

from handshift.bag.bagset import BagSet
from handshift.bag.make_bags import MadeBags, counts_of
from handshift.bag.storage import BagSetError, load_bags, save_bags
from handshift.core.atomic import write_text
from handshift.core.loaders import plain_name
from handshift.core.records import read_record
from handshift.corpus.split import WriterSplit
from handshift.embedding.word_vectors import WordVectors

RECORD, SPLIT = "bags.json", "split.json"


class BagRecord(TypedDict):
    """How the bags of a folder were made, as it is stored."""

    options: dict[str, Any]
    vectors: str
    fingerprint: str
    before: dict[str, Any]
    after: dict[str, Any]
    """By part; there is a folder for each."""


BagRecord.__pydantic_config__ = {"strict": True, "extra": "allow"}  # type: ignore[attr-defined]


@dataclass(frozen=True)
class BagFolder:
    """Bag sets of the parts of a split, the vectors that they index, and how they were made."""

    path: Path
    vectors: WordVectors
    split: WriterSplit
    parts: Mapping[str, BagSet]
    record: Mapping[str, Any]
    """`options`, `vectors`, `fingerprint`, and `before` and `after` balancing by part."""

    @classmethod
    def load(cls, path: Path, vectors: Path | None = None) -> BagFolder:
        """Read a folder that `save` wrote.

        Args:
            path: the folder of bags.
            vectors: where the word vectors lie now, if they were moved.

        Raises:
            BagSetError: the folder holds no bags, or the vectors are not those that the bags were made from.
        """
        if not (path / RECORD).is_file():
            raise BagSetError(f"{path}: holds no {RECORD}; `handshift bags` writes such a folder")
        try:
            record = read_record(path / RECORD, BagRecord, "a record of bags")
            folders = {part: path / plain_name(part) for part in record["after"]}
        except ValueError as error:
            raise BagSetError(f"{path / RECORD}: {error}") from error
        table = WordVectors.load(vectors or Path(record["vectors"]))
        if table.fingerprint != record["fingerprint"]:
            raise BagSetError(
                f"{path}: made from other vectors than {vectors or record['vectors']}; "
                "make the bags again, or give --vectors"
            )
        parts = {part: load_bags(folder, len(table.vectors)) for part, folder in folders.items()}
        return cls(path, table, WriterSplit.load(path / SPLIT), parts, cast("Mapping[str, Any]", record))

    @property
    def fingerprint(self) -> str:
        """Changes when the bags do: they follow from options, split and vectors."""
        return hashlib.sha256(json.dumps(dict(self.record), sort_keys=True).encode()).hexdigest()[:16]

    def part(self, name: str) -> BagSet:
        """The bags of one part.

        Raises:
            BagSetError: the part was left out because it had too few writers.
        """
        if name not in self.parts:
            raise BagSetError(
                f"{self.path}: has no {name} bags, because the split's part has too few writers; "
                "make the bags with a split of more writers"
            )
        return self.parts[name]


def save_bag_folder(
    made: MadeBags,
    vectors: Path,
    table: WordVectors,
    split: WriterSplit,
    options: Mapping[str, Any],
    out: Path,
) -> None:
    """Write one folder per part, the split, and last the record that marks the folder as complete."""
    (out / RECORD).unlink(missing_ok=True)
    for part, bags in made.parts.items():
        save_bags(bags, out / part)
    split.save(out / SPLIT)
    record = {
        "options": options,
        "vectors": str(vectors.resolve()),
        "fingerprint": table.fingerprint,
        "before": made.before,
        "after": {part: counts_of(bags) for part, bags in made.parts.items()},
    }
    write_text(out / RECORD, json.dumps(record, indent=1, ensure_ascii=False) + "\n")
