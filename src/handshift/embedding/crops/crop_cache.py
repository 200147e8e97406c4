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
from handshift.embedding.crops.collection import SKIPPED, WordCollection, collect, skipped_files
from handshift.embedding.crops.file_contents import FileContents
from handshift.embedding.crops.scaling import Scaling
from handshift.embedding.crops.word_crop import CROP_VERSION, HEIGHT, LETTER_SIZE, WIDTH
from handshift.embedding.word_table import REQUIRED, TABLE
from handshift.engine.engine import Engine

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
    scaling: str = Scaling.SHEET.value
    """What the scale was taken from; the sheet in records without it."""

    @classmethod
    def of(cls, corpus: Corpus, cut: FileContents, scaling: Scaling) -> CropRecord:
        """Describe crops cut now."""
        return cls(HEIGHT, WIDTH, LETTER_SIZE, cut.value, _fingerprint(corpus), scaling=scaling.value)

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
        found = {"scaling": Scaling.SHEET.value} | found
        names = [field.name for field in fields(self)]
        return [name.replace("_", " ") for name in names if found.get(name) != getattr(self, name)]


def recorded_contents(folder: Path) -> FileContents:
    """Return what the files of `folder` held according to its record; pages without one."""
    return FileContents(str((_found(folder) or {}).get("cut", FileContents.PAGE.value)))


def contents_of(corpus: Corpus, folder: Path, cut: str | None = None) -> FileContents:
    """Say what a file of the corpus holds.

    Args:
        corpus: The files.
        folder: Of its crops, whose record says what they were cut as.
        cut: What the user says; it counts more than all else.

    Returns:
        `cut`; without it a word where the corpus lists words of pages, else what the record says or a page.

    Raises:
        HandshiftError: `cut` is no kind of content.
    """
    if cut is not None:
        if cut not in list(FileContents):
            raise HandshiftError(f"--cut {cut}: choose page, word or picture")
        return FileContents(cut)
    return FileContents.WORD if corpus.of_words else recorded_contents(folder)


def _found(folder: Path) -> dict[str, object] | None:
    path = folder / FILE
    return read_json_object(path) if path.exists() else None


def _fingerprint(corpus: Corpus) -> str:
    digest = hashlib.sha256()
    for sample in sorted(corpus.samples, key=lambda sample: sample.path):
        name = sample.path.relative_to(corpus.root).as_posix()
        size = sample.path.stat().st_size
        page = f"\t{sample.page}" if sample.page else ""
        line = f"{name}\t{size}\t{sample.writer}\t{sample.session}\t{sample.prompt}{page}\n"
        digest.update(line.encode())
    return digest.hexdigest()[:16]


def cached_words(
    corpus: Corpus,
    folder: Path,
    cut: FileContents | None = None,
    *,
    reuse: bool = False,
    scaling: Scaling = Scaling.SHEET,
    workers: int = 2,
    engine: Engine | None = None,
) -> WordCollection:
    """Load the corpus's word crops from `folder`, cutting them if they are missing or of another kind.

    Args:
        corpus: The files.
        folder: The cache.
        cut: What a file holds; as `contents_of` says if None.
        reuse: Refuse to replace crops of another corpus or kind, which belong to another run.
        scaling: What the scale is taken from: that of the network which the crops are for.
        workers: Processes that cut.
        engine: Where files are cut instead.

    Returns:
        The crops.

    Raises:
        HandshiftError: No word was found in any file, the folder holds files that are not handshift's, or
            with `reuse` crops of another corpus or kind.
    """
    _refuse_foreign(folder)
    record = CropRecord.of(corpus, cut or contents_of(corpus, folder), scaling)
    if _lacking(folder, record):
        with locked(folder, patience=3600):  # another training may be cutting the same corpus
            if reason := _lacking(folder, record):
                if reuse and (folder / TABLE).exists():
                    raise HandshiftError(
                        f"{folder}: these crops cannot be reused: another {reason.partition('another ')[2]}; "
                        "leave the option out, or give crops of the same corpus"
                    )
                Console(stderr=True).print(f"{folder}: {reason}")
                _cut(corpus, folder, record, workers, engine)
    words = WordCollection.load(folder)
    _report_skipped(folder, len(corpus.samples), record.cut)
    if not len(words.crops):
        raise HandshiftError(
            f"{corpus.root}: no word was found in {len(corpus.samples)} files read as {record.cut}s; "
            "give what a file holds with --cut page, word or picture"
        )
    return words


def _report_skipped(folder: Path, files: int, cut: str) -> None:
    skipped = skipped_files(folder)
    if skipped:
        path, problem = skipped[0]
        more = f" and {len(skipped) - 1} more" if len(skipped) > 1 else ""
        Console(stderr=True, soft_wrap=True, markup=False, highlight=False).print(
            f"{len(skipped)} of {files} files skipped as {cut}s: {path} ({problem}){more}; "
            f"all are listed in {folder / SKIPPED}"
        )


def _refuse_foreign(folder: Path) -> None:
    """Refuse a folder whose words.csv or words.json handshift did not write; they are never overwritten."""
    table = folder / TABLE
    if table.exists():
        with table.open(encoding="utf-8", errors="replace", newline="") as lines:
            header = lines.readline().strip().split(",")
        if tuple(header[: len(REQUIRED)]) != REQUIRED:
            raise HandshiftError(f"{table}: not a table of handshift's; give another folder for the words")
    if (folder / FILE).exists() and not {"cut", "corpus"} <= read_json_object(folder / FILE).keys():
        raise HandshiftError(
            f"{folder / FILE}: not a record of handshift's; give another folder for the words"
        )


def _lacking(folder: Path, record: CropRecord) -> str:
    """Why the crops in `folder` cannot be used; empty if they can."""
    if not (folder / "words.csv").exists():
        return "cut for the first time"
    differences = " and ".join(record.differences(folder))
    return f"cut again, because of another {differences}" if differences else ""


def _cut(corpus: Corpus, folder: Path, record: CropRecord, workers: int, engine: Engine | None) -> None:
    # Removed first, so that an interrupted cut is not taken for a complete one.
    for name in ("words.csv", FILE):
        (folder / name).unlink(missing_ok=True)
    pages = collect(corpus, folder, FileContents(record.cut), workers, Scaling(record.scaling), engine)
    for _ in track(pages, "cutting", total=len(corpus.samples)):
        pass
    record.save(folder)
