"""How a folder of word pictures was cut, so that a later cut of another kind is not taken for it.

Cutting a corpus into word pictures with progress, unless it has been done.
"""

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
from handshift.embedding.crops.file_contents import Cut
from handshift.embedding.crops.word_crop import HEIGHT, LETTER_SIZE, READING, WIDTH

FILE = "words.json"


@dataclass(frozen=True)
class CutRecord:
    """Canvas, scale, kind of file, and which files."""

    height: int
    width: int
    letter_size: float
    cut: str
    corpus: str
    """Fingerprint of the corpus: which files of which size, by which writer, in which session."""
    reading: int = READING
    """By which rules words are taken and drawn."""

    @classmethod
    def of(cls, corpus: Corpus, cut: Cut) -> CutRecord:
        """What a cut made now would carry."""
        return cls(HEIGHT, WIDTH, LETTER_SIZE, cut.value, _fingerprint(corpus))

    def save(self, folder: Path) -> None:
        """Beside the pictures, after them."""
        write_text(folder / FILE, json.dumps(asdict(self), indent=1))

    def differences(self, folder: Path) -> list[str]:
        """What is otherwise in `folder`, in words; none where the pictures there will do.

        A folder without a record is from before there were any: only its canvas can be compared.
        """
        if (found := _found(folder)) is None:
            shape = map_npy(folder / "crops.npy").shape[1:]
            return [] if shape == (self.height, self.width) else ["canvas"]
        names = [field.name for field in fields(self)]
        return [name.replace("_", " ") for name in names if found.get(name) != getattr(self, name)]


def recorded_cut(folder: Path) -> Cut:
    """What kind of file `folder` was cut from; pages where it does not say."""
    return Cut(str((_found(folder) or {}).get("cut", Cut.PAGE.value)))


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


def words_of(corpus: Corpus, folder: Path, cut: Cut | None = None) -> WordCollection:
    """The corpus's word pictures, kept in `folder` for the next time; cut anew if they are of another kind.

    Without `cut` the files are taken for what they were taken for the last time, at first for pages.
    """
    record = CutRecord.of(corpus, cut or recorded_cut(folder))
    if _lacking(folder, record):
        with locked(folder, patience=3600):  # another training may be cutting the same
            if reason := _lacking(folder, record):
                Console(stderr=True).print(f"{folder}: {reason}")
                _cut(corpus, folder, record)
    words = WordCollection.load(folder)
    if not len(words.crops):
        raise HandshiftError(
            f"{corpus.root}: no word was found in {len(corpus.samples)} files taken for {record.cut}s; "
            "say what they are with --cut page, word or picture"
        )
    return words


def _lacking(folder: Path, record: CutRecord) -> str:
    """Why the pictures in `folder` will not do; empty if they will."""
    if not (folder / "words.csv").exists():
        return "cut for the first time"
    differences = " and ".join(record.differences(folder))
    return f"cut anew, for its {differences} differ from what is wanted" if differences else ""


def _cut(corpus: Corpus, folder: Path, record: CutRecord) -> None:
    # First, so that a cut broken off is not taken for a whole one.
    for name in ("words.csv", FILE):
        (folder / name).unlink(missing_ok=True)
    pages = collect(corpus, folder, Cut(record.cut))
    for _ in track(pages, "cutting", total=len(corpus.samples)):
        pass
    record.save(folder)
