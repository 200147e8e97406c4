"""The validation protocol run with a model on a corpus of known writers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from handshift.bag.pages import pages_of
from handshift.calibration.operating_points import FILE as OPERATING_POINTS
from handshift.calibration.verbal_scale import Language
from handshift.core.atomic import write_text
from handshift.core.counted import counted
from handshift.core.errors import HandshiftError
from handshift.core.version import __version__
from handshift.corpus.layouts import read_corpus
from handshift.corpus.manifest import Corpus
from handshift.corpus.split import WriterSplit
from handshift.embedding.crops.crop_cache import cached_words
from handshift.models.shipped_models import find_model
from handshift.report.run_header import Run
from handshift.validation.categories import category_of_pages
from handshift.validation.hand_counts import validated_model
from handshift.validation.matrix import ValidationMatrix, load_criteria, validation_matrix
from handshift.validation.protocol import Validation, require_writers, validate, validation_html

RESULTS = ("validation.html", "validation.json", OPERATING_POINTS)


@dataclass(frozen=True, slots=True)
class ModelValidation:
    """What a model's likelihood ratios are worth on a corpus, and the run that measured it."""

    found: Validation
    run: Run
    model: Path
    """The model's folder."""
    matrix: ValidationMatrix
    """Measured values against criteria that were fixed beforehand."""

    def save(self, folder: Path, language: Language = Language.en) -> Path:
        """Write the report and the figures.

        Args:
            folder: Where validation.html, validation.json and operating-points.json go. Copied into the
                model's folder, the last tells the workbench what a threshold means.
            language: Of the report.

        Returns:
            The report.
        """
        about = {"command": "handshift validate", "handshift": __version__, **self.run.settings}
        record = about | self.found.record() | {"matrix": self.matrix.record()}
        text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
        write_text(folder / "validation.json", text)
        self.found.operating_points().save(folder / OPERATING_POINTS, self.model)
        run = Run(self.run.card, self.run.started, self.run.settings, language)
        write_text(folder / "validation.html", validation_html(self.found, run, self.matrix))
        return folder / "validation.html"


def validate_model(
    data: Path,
    *,
    model: str | None = None,
    split: Path | None = None,
    part: str = "test",
    words: Path,
    documents: int = 600,
    shared: int = 60,
    seed: int = 2026,
    threads: int = 2,
    criteria: Path | None = None,
    by: str | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> ModelValidation:
    """Run the whole protocol on labelled pages.

    Args:
        data: Corpus folder or manifest: pages whose writers are known, none of them in the model's training
            or calibration.
        model: Id of a shipped model or a model's folder; the default model without it.
        split: Writer split; only its `part` is used.
        part: Part of the split.
        words: Folder of word pictures; cut into it if they are not there.
        documents: Documents of each kind and share.
        shared: Pages of each number of hands.
        seed: Of the documents that are put together.
        threads: Processor threads of the word network.
        criteria: File of criteria; the shipped ones without it.
        by: Column of the manifest, such as pen or database: results within each of its values too.
        progress: Called with a line of text after each step.

    Returns:
        The figures; `save` writes them as a report.

    Raises:
        HandshiftError: The split has no such part, or the writers do not suffice.
    """
    demanded = load_criteria(criteria)  # fixed before anything is measured
    category = category_of_pages(data, by) if by else None
    corpus = read_corpus(data)
    writers = _writers(corpus, split, part)
    require_writers(len(writers))  # before their pages are cut
    shipped = find_model(model)
    table = cached_words(corpus, words, scaling=shipped.scaling(), workers=threads)
    progress(f"embedding {counted(len(table.rows_of(writers)), 'word')} of {counted(len(writers), 'writer')}")
    vectors = shipped.vectors_of(table, writers, threads)
    found = validate(
        pages_of(table, writers),
        vectors,
        validated_model(shipped, threads),
        model=shipped.card.id,
        data=f"{len(writers)} writers of {corpus.name}" + (f", part {part}" if split else ""),
        seed=seed,
        documents=documents,
        shared=shared,
        category=category,
        progress=progress,
    )
    settings = {"documents": str(documents), "shared pages": str(shared), "seed": str(seed)}
    settings |= {"by": by} if by else {}
    matrix = validation_matrix(found.ratios, demanded, found.writers, seed)
    run = Run(shipped.card, datetime.now().astimezone(), settings)
    return ModelValidation(found, run, shipped.folder, matrix)


def _writers(corpus: Corpus, split: Path | None, part: str) -> list[str]:
    if split is None:
        return list(corpus.writers)
    parts = WriterSplit.load(split, known=corpus.writers).parts
    if part not in parts:
        raise HandshiftError(f"{split}: has no part {part!r}, only {', '.join(parts)}")
    return list(parts[part])
