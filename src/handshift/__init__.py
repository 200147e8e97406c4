"""handshift finds the words in a handwritten page that another hand wrote."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from handshift.core.version import __version__

if TYPE_CHECKING:
    from handshift.attribution.comparison import Comparison
    from handshift.attribution.document import Document, HandChange, HandedPage
    from handshift.attribution.identification import Candidate, Identification
    from handshift.attribution.verdict import Verdict, WordFinding
    from handshift.core.errors import HandshiftError, PageError
    from handshift.embedding.train.train_embedding import TrainedEmbedding
    from handshift.page.word import Box, Page, Word
    from handshift.pipeline.calibrate_model import CalibratedModel
    from handshift.pipeline.embed_files import Embedded
    from handshift.pipeline.read_pages import Paths
    from handshift.validation.validate_model import ModelValidation

__all__ = [
    "Box",
    "CalibratedModel",
    "Candidate",
    "Comparison",
    "Document",
    "Embedded",
    "HandChange",
    "HandedPage",
    "HandshiftError",
    "Identification",
    "ModelValidation",
    "Page",
    "PageError",
    "TrainedEmbedding",
    "Verdict",
    "Word",
    "WordFinding",
    "__version__",
    "calibrate",
    "embed",
    "enroll",
    "examine",
    "examine_pages",
    "hands",
    "identify",
    "train",
    "validate",
    "verify",
    "words",
]

_EXPORTS = {
    "Box": "handshift.page.word",
    "CalibratedModel": "handshift.pipeline.calibrate_model",
    "Candidate": "handshift.attribution.identification",
    "Comparison": "handshift.attribution.comparison",
    "Document": "handshift.attribution.document",
    "Embedded": "handshift.pipeline.embed_files",
    "HandChange": "handshift.attribution.document",
    "HandedPage": "handshift.attribution.document",
    "HandshiftError": "handshift.core.errors",
    "Identification": "handshift.attribution.identification",
    "ModelValidation": "handshift.validation.validate_model",
    "Page": "handshift.page.word",
    "PageError": "handshift.core.errors",
    "TrainedEmbedding": "handshift.embedding.train.train_embedding",
    "Verdict": "handshift.attribution.verdict",
    "Word": "handshift.page.word",
    "WordFinding": "handshift.attribution.verdict",
}
"""Result types and errors, imported when they are first asked for: `import handshift` loads no numpy."""

Contents = Literal["page", "word", "picture"]
"""What one file holds: a page of words, one word, or any picture taken whole."""


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'handshift' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_EXPORTS[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_EXPORTS})


def examine(
    path: Path | str, page: int = 1, *, model: str | None = None, cut: Contents | None = None
) -> Verdict:
    """Examine one page of a scan; warns where the file has more pages.

    Args:
        path: An image, a multi-page TIFF or a PDF; with word pictures, the folder of a document.
        page: The page within the file, from 1.
        model: Id of a shipped model or a model's folder; the default model without it.
        cut: What one file holds, a page or a word; what the model was calibrated on without it.

    Returns:
        The verdict. Printing it always shows its propositions and population.

    Raises:
        PageError: The page is not there, cannot be read or has too few legible words.
    """
    import warnings

    from handshift.embedding.crops.file_contents import FileContents
    from handshift.page.decode_worker import IsolatedFile, isolated_segmentation
    from handshift.pipeline.examiner import Examiner
    from handshift.pipeline.read_pages import segment_scan
    from handshift.pipeline.word_documents import document_in

    examiner = Examiner(model, cut=FileContents(cut) if cut else None)
    if examiner.reads is not FileContents.PAGE:
        return examiner.examine_words(document_in(Path(path), page))
    with IsolatedFile(path) as file:
        scan, count = file.scan(page - 1), len(file)
    if count > 1:
        message = f"{path} has {count} pages, of which page {page} is examined; examine_pages reads them all"
        warnings.warn(message, stacklevel=2)
    return examiner.examine_page(segment_scan(scan, isolated_segmentation(path, page - 1)))


def examine_pages(
    path: Path | str, *, model: str | None = None, cut: Contents | None = None
) -> Iterator[Verdict | PageError]:
    """Examine every page of a scan.

    Args:
        path: An image, a multi-page TIFF or a PDF; with word pictures, a folder of documents.
        model: Id of a shipped model or a model's folder; the default model without it.
        cut: What one file holds, a page or a word; what the model was calibrated on without it.

    Yields:
        For every page of the file its verdict, or the error that says why there is none. The error is
        yielded, not raised, so that one damaged page does not hide those after it.
    """
    from handshift.embedding.crops.file_contents import FileContents
    from handshift.pipeline.examiner import Examiner

    yield from Examiner(model, cut=FileContents(cut) if cut else None).examine_pages(path)


def hands(
    paths: Paths, *, same_prior: float = 0.5, model: str | None = None, dpi: float | None = None
) -> Document:
    """Find the hands of a document: how many, which words, and where one takes over from another.

    Args:
        paths: Scans, PDFs or folders, taken as one document in the order given.
        same_prior: Prior probability that one person wrote two given pages.
        model: Id of a shipped model or a model's folder; the default model without it.
        dpi: Resolution of the pages, where their files state none or a wrong one.

    Raises:
        PageError: A page cannot be read or has no legible word.
        HandshiftError: No path was given.
    """
    from handshift.pipeline.hand_finder import HandFinder

    return HandFinder(model, same_prior=same_prior, dpi=dpi).hands(paths)


def words(path: Path | str) -> tuple[Word, ...]:
    """Find every word of a file in reading order, legible or not; page after page where it has several.

    Raises:
        PageError: A page cannot be read.
    """
    from handshift.core.errors import PageError
    from handshift.pipeline.read_pages import read_pages

    found: list[Word] = []
    for page in read_pages(path):
        if isinstance(page, PageError):
            raise page
        found += page.words
    return tuple(found)


def embed(paths: Paths, *, model: str | None = None, cut: Contents = "page") -> Embedded:
    """Embed the legible words of everything the paths lead to.

    Args:
        paths: Scans, PDFs or folders.
        model: Id of a shipped model, a model's folder, the folder of a training, or words.onnx; the default
            model without it. The network need not be calibrated.
        cut: What one file holds.

    Returns:
        The words and their vectors: `.vectors` are float32 unit rows, `.weighed` are the network's own rows,
        whose lengths weight the words.

    Raises:
        PageError: A page cannot be read, or there is no legible word.
        HandshiftError: No path was given.
    """
    from handshift.embedding.crops.file_contents import FileContents
    from handshift.embedding.embedder import Embedder
    from handshift.models.shipped_models import find_network
    from handshift.pipeline.embed_files import embed_files

    return embed_files(Embedder(find_network(model), threads=2), paths, FileContents(cut))


def verify(
    a: Paths,
    b: Paths,
    *,
    known: bool = False,
    model: str | None = None,
    cut: Contents = "page",
    dpi: float | None = None,
) -> Comparison:
    """Weigh whether one person wrote both `a` and `b`.

    Args:
        a: A page, a folder or several, taken as one person's.
        b: Likewise.
        known: Whether `b` holds known samples of one person, whose own variation is then reported.
        model: Id of a shipped model or a model's folder; the default model without it.
        cut: What one file holds.
        dpi: Resolution of the pages, where their files state none or a wrong one.

    Raises:
        PageError: A page cannot be read, or a side has no legible word.
        HandshiftError: No path was given.
    """
    from handshift.embedding.crops.file_contents import FileContents
    from handshift.pipeline.comparer import Comparer

    contents = FileContents(cut)
    if contents is not FileContents.PAGE:
        return Comparer(model).verify(a, b, contents)
    from handshift.pipeline.verifier import Verifier

    return Verifier(model, dpi=dpi).verify(a, b, known=known).comparison


def enroll(
    name: str,
    pages: Paths,
    gallery: Path | str,
    *,
    model: str | None = None,
    cut: Contents = "page",
    dpi: float | None = None,
) -> int:
    """Add pages of a person to a gallery.

    Args:
        name: The person.
        pages: Scans, PDFs or folders, all by that person.
        gallery: The gallery's folder; made if it is not there.
        model: Id of a shipped model or a model's folder; the default model without it.
        cut: What one file holds.
        dpi: Resolution of the pages, where their files state none or a wrong one.

    Returns:
        How many pages were new to the gallery.
    """
    from handshift.embedding.crops.file_contents import FileContents
    from handshift.pipeline.comparer import Comparer
    from handshift.pipeline.identifier import enroll as add

    return add(Comparer(model, dpi=dpi), {name: pages}, Path(gallery), FileContents(cut))[1]


def identify(
    page: Paths, gallery: Path | str, *, model: str | None = None, dpi: float | None = None
) -> Identification:
    """Rank the people in a gallery by how well their hands explain a page.

    Args:
        page: A page, or several of one person.
        gallery: A gallery's folder, made by `enroll`.
        model: Id of a shipped model or a model's folder; the default model without it.
        dpi: Resolution of the pages, where their files state none or a wrong one.

    Returns:
        The ranked list; iterating over it gives the best candidate first.
    """
    from handshift.pipeline.identifier import Identifier

    return Identifier(gallery, model, dpi=dpi).identify(page)


def train(
    data: Path | str,
    out: Path | str,
    *,
    preset: str | None = None,
    split: Path | str | None = None,
    cut: Contents | None = None,
    threads: int = 2,
    **fields: Any,
) -> TrainedEmbedding:
    """Train a word network on a collection (needs the `train` extra); the same call again resumes.

    Args:
        data: Corpus folder or manifest.
        out: Folder for word pictures, checkpoints and words.onnx.
        preset: Named recipe or a YAML file; the defaults without it.
        split: Writer split; one is made and kept in OUT/split.json without it.
        cut: What one file holds; without it a word in the source's layout, else a page.
        threads: Processor threads.
        fields: Fields of the recipe that differ from the preset, such as ``epochs=20``.

    Returns:
        The exported network and its figures on the held-out writers.

    Raises:
        HandshiftError: A field is wrong, or the corpus and the split do not suffice.
    """
    from handshift.embedding.train.presets import make_recipe
    from handshift.embedding.train.train_embedding import train_embedding

    recipe = make_recipe(preset, fields)
    writer_split = Path(split) if split else None
    return train_embedding(Path(data), Path(out), recipe, split=writer_split, cut=cut, threads=threads)


def calibrate(
    network: Path | str,
    data: Path | str,
    split: Path | str,
    out: Path | str,
    *,
    detectors: Sequence[Path | str] = (),
    cut: Contents | None = None,
    population: str = "",
    seed: int = 2026,
    documents: int = 4000,
) -> CalibratedModel:
    """Make a model of a trained network and the calibration writers of a split.

    Args:
        network: words.onnx of `train`.
        data: Corpus folder or manifest.
        split: Writer split; its calibration part is used.
        out: Model folder to write; give it as `model` to the other functions.
        detectors: Detectors of `handshift train detect`, combined with those that need no training.
        cut: What one file holds; as it was in training without it.
        population: Whom the calibration writers stand for; shown with every likelihood ratio.
        seed: Of the documents that are put together.
        documents: How many of them for each size; fewer for a trial.

    Raises:
        HandshiftError: The corpus and the split do not suffice.
    """
    from handshift.embedding.crops.file_contents import FileContents
    from handshift.pipeline.calibrate_model import calibrate_model

    return calibrate_model(
        Path(network),
        Path(data),
        Path(split),
        Path(out),
        detectors=[Path(detector) for detector in detectors],
        cut=FileContents(cut) if cut else None,
        population=population,
        seed=seed,
        documents=documents,
    )


def validate(
    data: Path | str,
    out: Path | str,
    *,
    model: str | None = None,
    split: Path | str | None = None,
    part: str = "test",
    documents: int = 600,
    shared: int = 60,
    seed: int = 2026,
) -> ModelValidation:
    """Measure what a model's likelihood ratios are worth on pages of known writers, and write the report.

    Args:
        data: Corpus folder or manifest; its writers must be new to the model.
        out: Folder for validation.html, validation.json and the word pictures.
        model: Id of a shipped model or a model's folder; the default model without it.
        split: Writer split; only its `part` is used.
        part: Part of the split.
        documents: Documents of each kind and share.
        shared: Pages of each number of hands.
        seed: Of the documents that are put together.

    Raises:
        HandshiftError: The split has no such part, or the writers do not suffice.
    """
    from handshift.validation.validate_model import validate_model

    validation = validate_model(
        Path(data),
        model=model,
        split=Path(split) if split else None,
        part=part,
        words=Path(out) / "words",
        documents=documents,
        shared=shared,
        seed=seed,
    )
    validation.save(Path(out))
    return validation
