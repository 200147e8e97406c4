"""Cache of a corpus's word crops, with a record of how they were cut."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from rich.console import Console
from rich.progress import track

from handshift.core.atomic import write_text
from handshift.core.errors import HandshiftError
from handshift.core.folder_lock import locked
from handshift.core.loaders import map_npy, read_json_object
from handshift.corpus.manifest import Corpus
from handshift.embedding.crops.collection import WordCollection, collect
from handshift.embedding.crops.file_contents import FileContents
from handshift.embedding.crops.word_crop import CROP_VERSION, HEIGHT, LETTER_SIZE, WIDTH

FILE = "words.json"


@dataclass(frozen=True)
class CropRecord:
    """How and from which files crops were cut; the field names are the keys of words.json."""

    height: int
    width: int
    letter_size: float
    cut: str
    corpus: str
    """Fingerprint of the corpus: which files of which size, by which writer, in which session."""
    reading: int = CROP_VERSION
    """`CROP_VERSION` at the time."""

    @classmethod
    def of(cls, corpus: Corpus, cut: FileContents) -> CropRecord:
        """Describe crops cut now."""
        return cls(HEIGHT, WIDTH, LETTER_SIZE, cut.value, _fingerprint(corpus))

    def save(self, folder: Path) -> None:
        """Write the record beside the crops; call it after they are complete."""
        write_text(folder / FILE, json.dumps(asdict(self), indent=1))

    def differences(self, folder: Path) -> list[str]:
        """List the fields that differ from the crops in `folder`; empty if they can be reused.

        Of a folder without a record, written by an older version, only the canvas can be compared.
        """
        if (found := _found(folder)) is None:
            shape = map_npy(folder / "crops.npy").shape[1:]
            return [] if shape == (self.height, self.width) else ["canvas"]
        names = [field.name for field in fields(self)]
        return [name.replace("_", " ") for name in names if found.get(name) != getattr(self, name)]


def recorded_contents(folder: Path) -> FileContents:
    """Return what the files of `folder` held according to its record; pages without one."""
    return FileContents(str((_found(folder) or {}).get("cut", FileContents.PAGE.value)))


def _found(folder: Path) -> dict[str, object] | None:
    path = folder / FILE
    return read_json_object(path) if path.exists() else None


def _fingerprint(corpus: Corpus) -> str:
    digest = hashlib.sha256()
    for sample in sorted(corpus.samples, key=lambda sample: sample.path):
        name = sample.path.relative_to(corpus.root).as_posix()
        size = sample.path.stat().st_size
        digest.update(f"{name}\t{size}\t{sample.writer}\t{sample.session}\t{sample.prompt}\n".encode())
    return digest.hexdigest()[:16]


def cached_words(corpus: Corpus, folder: Path, cut: FileContents | None = None) -> WordCollection:
    """Load the corpus's word crops from `folder`, cutting them if they are missing or of another kind.

    Args:
        corpus: The files.
        folder: The cache.
        cut: What a file holds; what the record says, or pages, if None.

    Returns:
        The crops.

    Raises:
        HandshiftError: No word was found in any file.
    """
    record = CropRecord.of(corpus, cut or recorded_contents(folder))
    if _lacking(folder, record):
        with locked(folder, patience=3600):  # another training may be cutting the same corpus
            if reason := _lacking(folder, record):
                Console(stderr=True).print(f"{folder}: {reason}")
                _cut(corpus, folder, record)
    words = WordCollection.load(folder)
    if not len(words.crops):
        raise HandshiftError(
            f"{corpus.root}: no word was found in {len(corpus.samples)} files read as {record.cut}s; "
            "give what a file holds with --cut page, word or picture"
        )
    return words


def _lacking(folder: Path, record: CropRecord) -> str:
    """Why the crops in `folder` cannot be used; empty if they can."""
    if not (folder / "words.csv").exists():
        return "cut for the first time"
    differences = " and ".join(record.differences(folder))
    return f"cut again, because of another {differences}" if differences else ""


def _cut(corpus: Corpus, folder: Path, record: CropRecord) -> None:
    # Removed first, so that an interrupted cut is not taken for a complete one.
    for name in ("words.csv", FILE):
        (folder / name).unlink(missing_ok=True)
    pages = collect(corpus, folder, FileContents(record.cut))
    for _ in track(pages, "cutting", total=len(corpus.samples)):
        pass
    record.save(folder)
