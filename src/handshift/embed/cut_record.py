"""How a folder of word pictures was cut, so that a later cut of another kind is not taken for it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

from handshift.atomic import write_text
from handshift.corpus.manifest import Corpus
from handshift.embed.crop import HEIGHT, LETTER_SIZE, READING, WIDTH
from handshift.embed.cut import Cut

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
            shape = np.load(folder / "crops.npy", mmap_mode="r").shape[1:]
            return [] if shape == (self.height, self.width) else ["canvas"]
        names = [field.name for field in fields(self)]
        return [name.replace("_", " ") for name in names if found.get(name) != getattr(self, name)]


def recorded_cut(folder: Path) -> Cut:
    """What kind of file `folder` was cut from; pages where it does not say."""
    return Cut(str((_found(folder) or {}).get("cut", Cut.PAGE.value)))


def _found(folder: Path) -> dict[str, object] | None:
    path = folder / FILE
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def _fingerprint(corpus: Corpus) -> str:
    digest = hashlib.sha256()
    for sample in sorted(corpus.samples, key=lambda sample: sample.path):
        name = sample.path.relative_to(corpus.root).as_posix()
        size = sample.path.stat().st_size
        digest.update(f"{name}\t{size}\t{sample.writer}\t{sample.session}\t{sample.prompt}\n".encode())
    return digest.hexdigest()[:16]
