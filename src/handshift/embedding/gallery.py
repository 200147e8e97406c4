"""Gallery of enrolled writers: their word vectors, stored in a folder."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge, MinLen
from numpy.typing import NDArray
from typing_extensions import TypedDict

from handshift.core.atomic import write_bytes, write_text
from handshift.core.errors import HandshiftError
from handshift.core.loaders import LoadError, read_npy
from handshift.core.records import read_record
from handshift.embedding.crops.file_contents import FileContents
from handshift.embedding.crops.writing_size import with_sizes

TABLE = "gallery.json"
_VECTORS = re.compile(r"vectors-[0-9a-f]{16}\.npy")


class GalleryError(HandshiftError):
    """A gallery is damaged, of another model, or does not have what was asked for."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One enrolled page or picture."""

    name: Annotated[str, MinLen(1)]
    source: str
    sha256: str
    page: Annotated[int, Ge(1)]
    """Page within a PDF or multi-page TIFF, from 1."""
    words: Annotated[int, Ge(0)]
    size: float | None = None
    """Mean ln of the words' sizes in mm; None where the resolution was not known."""


# A field of a later version is left out: pydantic would, by the table's rule, set it on a class with slots.
Entry.__pydantic_config__ = {"extra": "ignore"}  # type: ignore[attr-defined]


class GalleryRecord(TypedDict):
    """The table of a gallery, as it is stored."""

    handshift: Literal["gallery"]
    model: str
    fingerprint: str
    cut: Literal["page", "word", "picture"]
    vectors: str
    """Name of the file of vectors, beside the table."""
    pages: list[Entry]


GalleryRecord.__pydantic_config__ = {"extra": "allow"}  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Gallery:
    """Entries and the vectors of their words in the same order; made by one model and valid for it alone."""

    fingerprint: str
    """Fingerprint of the model that made the vectors."""
    model: str
    """Name of that model, for error messages."""
    cut: FileContents
    entries: tuple[Entry, ...] = ()
    vectors: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), np.float32), repr=False)
    """(words of all entries, dimensions)"""

    @property
    def names(self) -> list[str]:
        """Names of the enrolled writers, sorted."""
        return sorted({entry.name for entry in self.entries})

    def sets(self) -> list[NDArray[np.float32]]:
        """Return the vectors of each name, in the order of `names`."""
        return [np.concatenate(pages) for pages in self.pages()]

    def pages(self) -> list[list[NDArray[np.float32]]]:
        """Return for each name, in the order of `names`, the vectors of each of its entries."""
        dimensions = self.vectors.shape[1]
        return [[page[:, :dimensions] for page in pages] for pages in self.pages_with_sizes()]

    def pages_with_sizes(self) -> list[list[NDArray[np.float32]]]:
        """The same with a further column, the size of the page's writing: see `with_sizes`."""
        ends = np.cumsum([entry.words for entry in self.entries])
        runs: dict[str, list[NDArray[np.float32]]] = {name: [] for name in self.names}
        for entry, end in zip(self.entries, ends, strict=True):
            vectors = self.vectors[end - entry.words : end]
            runs[entry.name].append(with_sizes(vectors, np.nan if entry.size is None else entry.size))
        return list(runs.values())

    def check(self, fingerprint: str, cut: FileContents | None = None) -> None:
        """Refuse vectors of another model or of another kind of file, whose cosines would be meaningless.

        Args:
            fingerprint: Of the model in use.
            cut: What the files hold, or None to leave it unchecked.

        Raises:
            GalleryError: The gallery was made by another model or from other files.
        """
        if fingerprint != self.fingerprint:
            raise GalleryError(
                f"the gallery was made with another model, {self.model!r}; "
                "give that one with --model, or embed its pages again with `handshift enroll --renew`"
            )
        if cut is not None and cut is not self.cut:
            raise GalleryError(
                f"the gallery was made with --cut {self.cut}, not {cut}; enroll in another folder"
            )

    def with_entries(self, entries: Sequence[Entry], vectors: NDArray[np.float32]) -> Gallery:
        """Add pages; a page that the name already has is skipped.

        Args:
            entries: The pages.
            vectors: Their words' vectors, (words of all entries, dimensions).

        Returns:
            The extended gallery.

        Raises:
            GalleryError: A page is enrolled under another name, or a name is spelled in two ways.
        """
        owner = {(entry.sha256, entry.page): entry.name for entry in self.entries}
        spelled = {_plain(entry.name): entry.name for entry in self.entries}
        kept, runs = list(self.entries), [self.vectors] if self.entries else []
        start = 0
        for entry in entries:
            rows, start = vectors[start : start + entry.words], start + entry.words
            known = spelled.setdefault(_plain(entry.name), entry.name)
            if known != entry.name:
                raise GalleryError(f"{entry.name!r} is spelled {known!r} in the gallery; use one spelling")
            had_by = owner.setdefault((entry.sha256, entry.page), "")
            if had_by and had_by != entry.name:
                raise GalleryError(
                    f"{entry.source} is enrolled as {had_by!r} already; remove that name first"
                )
            if not had_by and entry.words:
                owner[entry.sha256, entry.page] = entry.name
                kept.append(entry)
                runs.append(rows)
        return replace(self, entries=tuple(kept), vectors=np.concatenate(runs) if runs else self.vectors)

    def without(self, names: Iterable[str]) -> Gallery:
        """Return the gallery without these names.

        Raises:
            GalleryError: A name is not enrolled.
        """
        removed = set(names)
        if missing := removed - set(self.names):
            raise GalleryError(f"nobody is enrolled as {min(missing)!r}; enrolled are: {self._some_names()}")
        keep = [entry.name not in removed for entry in self.entries]
        rows = np.repeat(keep, [entry.words for entry in self.entries])
        entries = tuple(entry for entry, stays in zip(self.entries, keep, strict=True) if stays)
        return replace(self, entries=entries, vectors=self.vectors[rows])

    def save(self, folder: Path) -> None:
        """Write the vectors under a new name, then the table that names them, so that both always match."""
        buffer = io.BytesIO()
        np.save(buffer, np.asarray(self.vectors, np.float32), allow_pickle=False)
        content = buffer.getvalue()
        vectors = f"vectors-{sha256(content).hexdigest()[:16]}.npy"
        write_bytes(folder / vectors, content)
        table = {
            "handshift": "gallery",
            "model": self.model,
            "fingerprint": self.fingerprint,
            "cut": self.cut.value,
            "vectors": vectors,
            "pages": [asdict(entry) for entry in self.entries],
        }
        write_text(folder / TABLE, json.dumps(table, indent=1, ensure_ascii=False) + "\n")
        for old in folder.glob("vectors-*.npy"):
            if old.name != vectors and _VECTORS.fullmatch(old.name):
                old.unlink(missing_ok=True)

    @classmethod
    def load(cls, folder: Path) -> Gallery:
        """Load what `save` wrote; never unpickles, and reads no file outside the folder.

        Raises:
            GalleryError: There is no gallery, or it is damaged.
        """
        path = folder / TABLE
        if not path.is_file():
            raise GalleryError(f"{folder}: no gallery here; make one with `handshift enroll NAME PAGES`")
        try:
            try:
                return cls._read(folder)
            except LoadError as error:
                if not isinstance(error.__cause__, FileNotFoundError):
                    raise
                return cls._read(folder)  # another process enrolled between the two reads
        except (LoadError, ValueError) as error:
            problem = error.problem if isinstance(error, LoadError) else error
            raise GalleryError(f"{path}: not a gallery, or damaged ({problem})") from error

    @classmethod
    def _read(cls, folder: Path) -> Gallery:
        table = read_record(folder / TABLE, GalleryRecord, "a gallery")
        if not _VECTORS.fullmatch(table["vectors"]):
            raise ValueError(f"{table['vectors']!r} is not the name of a vector file")
        entries = tuple(table["pages"])
        vectors = read_npy(folder / table["vectors"])
        words = sum(entry.words for entry in entries)
        if vectors.ndim != 2 or len(vectors) != words or not np.isfinite(vectors).all():
            raise ValueError(f"vectors of shape {vectors.shape} for {words} words")
        return cls(table["fingerprint"], table["model"], FileContents(table["cut"]), entries, vectors)

    def _some_names(self) -> str:
        names = self.names
        return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _plain(name: str) -> str:
    """Normal form by which two spellings of one name are recognised."""
    return " ".join(name.split()).casefold()
