"""`FindingsParts`: the findings of a corpus as partitioned Parquet, a row a page.

A part is written when a file ends and `PART_PAGES` pages have come together, so that where parts end depends
on the pages alone, and a run that was killed leaves the same parts as one that was not.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from handshift.core.errors import HandshiftError
from handshift.core.file_folder import FileFolder
from handshift.core.pyarrow import pyarrow_modules, read_table
from handshift.report.findings_record import readable
from handshift.report.findings_schema import PageRecord

PART_PAGES = 500
"""About 5 MB a part, and at most as many pages to examine again if a part cannot be written."""
ABOUT = "_run.json"
"""Beside the parts; Parquet readers skip names that begin with an underscore."""
_PART = re.compile(r"part-([0-9]{5,})\.parquet")
_LIGHT = ["file", "path", "sha256", "page", "status", "error", "propositions", "scope"]
"""What is read again to continue a run."""

FileKey = tuple[str, str]
"""Path and SHA-256 of a file."""


class FindingsParts:
    """The parts of one run.

    Args:
        folder: Where they lie.
        settings: Everything that the findings depend on.
        resume: Whether to go on from parts of the same settings; without it they are removed.

    Raises:
        HandshiftError: The folder has parts of another run, or pyarrow is not installed.
    """

    def __init__(self, folder: FileFolder, settings: Mapping[str, Any], *, resume: bool = True) -> None:
        self._arrow, self._parquet = pyarrow_modules("writing Parquet")
        self._folder = folder
        self._rows: list[dict[str, Any]] = []
        about = json.dumps(settings, sort_keys=True, ensure_ascii=False, indent=1) + "\n"
        names = folder.names()
        if not resume:
            for name in names:
                if _PART.fullmatch(name):
                    folder.remove(name)
            names = []
        elif ABOUT in names and folder.read(ABOUT).decode() != about:
            raise HandshiftError(
                "the Parquet folder holds findings made with other settings; choose another folder, "
                "or replace them with --no-resume"
            )
        numbers = sorted(int(found[1]) for found in map(_PART.fullmatch, names) if found)
        self._next = numbers[-1] + 1 if numbers else 0
        self.finished: dict[FileKey, list[PageRecord]] = {}
        """Pages of the files in parts, without words and figures."""
        for number in numbers:
            for key, record in self._read(number):
                self.finished.setdefault(key, []).append(record)
        folder.write(ABOUT, about.encode())

    def add(self, file: str, sha256: str, record: PageRecord) -> None:
        """Take one page; it is written with its part."""
        self._rows.append(_row(file, sha256, record))

    def end_file(self) -> bool:
        """Write a part if enough pages have come together; True if one was written."""
        if len(self._rows) < PART_PAGES:
            return False
        self.flush()
        return True

    def flush(self) -> None:
        """Write what has come together as a part, if there is anything."""
        if not self._rows:
            return
        table = self._arrow.Table.from_pylist(self._rows, schema=_schema(self._arrow))
        content = io.BytesIO()
        self._parquet.write_table(table, content, compression="zstd")
        self._folder.write(f"part-{self._next:05d}.parquet", content.getvalue())
        self._next += 1
        self._rows.clear()

    def _read(self, number: int) -> Iterator[tuple[FileKey, PageRecord]]:
        content = io.BytesIO(self._folder.read(f"part-{number:05d}.parquet"))
        for row in read_table(content, _LIGHT).to_pylist():
            record = {name: row[name] for name in ("path", "sha256", "page", "status", "error")}
            record |= {name: json.loads(row[name]) for name in ("propositions", "scope")}
            yield (row["file"], row["sha256"] or ""), cast("PageRecord", record)


def _row(file: str, sha256: str, record: PageRecord) -> dict[str, Any]:
    low, high = record["log10_lr_bounds"] or (None, None)
    interval_low, interval_high = record["log10_lr_interval"] or (None, None)
    words = [
        {**dict(zip("xywh", word["box"], strict=True)), **word, "text": word.get("text")}
        for word in record["words"]
    ]
    return {
        "file": readable(file),
        "path": record["path"],
        "origin": record.get("origin"),
        "sha256": record["sha256"] or sha256 or None,
        "page": record["page"],
        "status": record["status"],
        "error": record["error"],
        "score": record["score"],
        "log10_lr": record["log10_lr"],
        "bound_low": low,
        "bound_high": high,
        "interval_low": interval_low,
        "interval_high": interval_high,
        "hands": record["hands"],
        "number_of_hands": record["number_of_hands"],
        "warnings": record["warnings"],
        "scope": json.dumps(record["scope"], ensure_ascii=False),
        "propositions": json.dumps(record["propositions"], ensure_ascii=False),
        "words": words,
    }


def _schema(arrow: Any) -> Any:
    text, number, count = arrow.string(), arrow.float64(), arrow.int32()
    word = [(name, count) for name in ("x", "y", "w", "h", "line")]
    word += [("hand", text), ("posterior", number), ("certainty", number), ("kind", text), ("text", text)]
    columns = [(name, text) for name in ("file", "path", "origin", "sha256")] + [("page", count)]
    columns += [(name, text) for name in ("status", "error")]
    columns += [(name, number) for name in ("score", "log10_lr", "bound_low", "bound_high")]
    columns += [("interval_low", number), ("interval_high", number), ("hands", count)]
    columns += [("number_of_hands", arrow.list_(number)), ("warnings", arrow.list_(text))]
    columns += [("scope", text), ("propositions", text), ("words", arrow.list_(arrow.struct(word)))]
    return arrow.schema(columns)
