"""`Corpus` and `Sample`: which image was written by whom, and the CSV manifest that lists them."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Annotated, NotRequired

from annotated_types import MinLen
from typing_extensions import TypedDict

from handshift.core.errors import CorpusError
from handshift.core.loaders import LoadError, read_bytes
from handshift.core.records import checked

REQUIRED = ("path", "writer")
LARGEST_CSV = 256 << 20
"""Bytes: a million rows of a long path each."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One image of a page or of a word; None where the corpus does not state a value."""

    path: Path
    writer: str
    session: int | None = None
    prompt: str | None = None
    repetition: int | None = None
    text: str | None = None
    page: str | None = None
    """Name of the page that a word image belongs to; None where each image is a page."""


class ManifestRow(TypedDict):
    """The cells of a manifest's row beside its path; empty cells are left out."""

    writer: Annotated[str, MinLen(1)]
    session: NotRequired[int]
    prompt: NotRequired[str]
    repetition: NotRequired[int]
    text: NotRequired[str]


ManifestRow.__pydantic_config__ = {"str_strip_whitespace": True, "extra": "ignore"}  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Samples below one folder."""

    name: str
    root: Path
    samples: tuple[Sample, ...]

    @property
    def writers(self) -> dict[str, int]:
        """Number of samples of each writer, writers sorted."""
        return dict(sorted(Counter(sample.writer for sample in self.samples).items()))

    @property
    def of_words(self) -> bool:
        """Whether every image is one word of a named page, as in the source's layout."""
        return all(sample.page is not None for sample in self.samples)

    def written_by(self, writers: Collection[str]) -> Corpus:
        """The corpus restricted to these writers."""
        wanted = set(writers)
        kept = tuple(sample for sample in self.samples if sample.writer in wanted)
        return Corpus(self.name, self.root, kept)


def read_manifest(path: Path | str) -> Corpus:
    """Read a CSV with the columns path and writer, and optionally session, prompt, repetition and text.

    Paths are relative to the CSV's folder and may not leave it. Other columns are ignored.

    Args:
        path: The CSV file.

    Returns:
        The corpus.

    Raises:
        CorpusError: A column or value is missing, a path leads out of the folder, or an image is listed
        twice.
    """
    path = Path(path)
    samples = []
    for line, row in read_rows(path, REQUIRED):
        try:
            found = checked(row, ManifestRow, f"{path}, line {line}", "a row of a manifest")
            place = inside(path.parent, row["path"])
        except LoadError as error:
            raise CorpusError(str(error)) from error
        except CorpusError as error:
            raise CorpusError(f"{path}, line {line}: {error}") from error
        samples.append(Sample(place, **found))
    return collected(path.parent, samples)


def read_rows(path: Path, required: Iterable[str]) -> list[tuple[int, dict[str, str]]]:
    """Read a CSV file.

    Args:
        path: The file, in UTF-8.
        required: Columns that must be there.

    Returns:
        Line number and non-empty cells of every row.

    Raises:
        CorpusError: The file cannot be read, is not CSV in UTF-8, or lacks a column.
    """
    try:
        content = read_bytes(path, LARGEST_CSV).decode("utf-8-sig")
        reader = csv.DictReader(io.StringIO(content, newline=""), restval="")
        missing = [name for name in required if name not in (reader.fieldnames or ())]
        if missing:
            raise CorpusError(f"{path}: the first line lacks the column {missing[0]!r}")
        rows = [(reader.line_num, row) for row in reader]
    except LoadError as error:
        raise CorpusError(str(error)) from error
    except (csv.Error, UnicodeDecodeError) as error:
        raise CorpusError(f"{path}: not a CSV file in UTF-8 ({error})") from error
    return [
        (line, {name: cell for name, cell in row.items() if name in required or (name and cell)})
        for line, row in rows
    ]


def inside(root: Path, relative: str) -> Path:
    """Resolve a path of a manifest.

    Args:
        root: The corpus' folder.
        relative: The path as the manifest states it.

    Returns:
        The path of an existing file inside ``root``.

    Raises:
        CorpusError: The path leaves the corpus, directly or by a link, or no file is there.
    """
    place = PurePosixPath(relative.strip().replace("\\", "/"))
    if not place.parts or place.is_absolute() or ".." in place.parts or PureWindowsPath(relative).drive:
        raise CorpusError(f"the path {relative!r} leads out of the corpus; make it relative to the manifest")
    path = root / place
    if not path.is_file():
        raise CorpusError(f"{relative!r} is not there; copy it, or take it out of the manifest")
    # Resolving a path is slow: for ordinary files only the folder is resolved, once.
    home = path.resolve() if path.is_symlink() else _resolved(path.parent)
    if not home.is_relative_to(_resolved(root)):
        raise CorpusError(f"{relative!r} is a link out of the corpus; put the file itself there")
    return path


def collected(root: Path, samples: list[Sample]) -> Corpus:
    """Build a corpus from its samples.

    Raises:
        CorpusError: There is no sample, or an image is listed twice.
    """
    _resolved.cache_clear()  # before the next read, a folder may have become a link
    if not samples:
        raise CorpusError(f"{root}: the corpus holds no samples")
    twice = [path for path, count in Counter(sample.path for sample in samples).items() if count > 1]
    if twice:
        raise CorpusError(f"{root}: {twice[0].relative_to(root)} is listed more than once")
    return Corpus(root.resolve().name, root, tuple(samples))


@lru_cache(maxsize=4096)
def _resolved(folder: Path) -> Path:
    return folder.resolve()
