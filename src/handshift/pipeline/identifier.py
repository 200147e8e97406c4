"""Enrolment in a gallery, and open-set identification of a page's writer among the enrolled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.identification import Candidate, Identification, posterior
from handshift.attribution.same_writer import Sums
from handshift.core.errors import HandshiftError
from handshift.core.folder_lock import locked
from handshift.core.run_journal import RunJournal, digest_of, journal_beside
from handshift.embedding.crops.file_contents import FileContents
from handshift.embedding.gallery import TABLE, Entry, Gallery, GalleryError
from handshift.embedding.nearest import FaissIndex, Search
from handshift.embedding.prototypes import Aggregation, prototypes
from handshift.pipeline.comparer import Comparer
from handshift.pipeline.embed_files import Embedded, embed_file, joined_files
from handshift.pipeline.embedded_record import file_from_record, file_to_record
from handshift.pipeline.read_pages import Paths, existing_scans

SHORTLIST = 256
"""How many candidates a faiss search retrieves for the exact comparison."""
_PATIENCE = 30.0


@dataclass(frozen=True, slots=True)
class Assumed:
    """What is assumed before the page is seen."""

    enrolled: float = 0.5
    """Prior probability that the writer is in the gallery."""
    false_accepts: float = 0.01
    """Share of pages by people who are not enrolled that may be accepted as somebody's."""

    def __post_init__(self) -> None:
        for name, value in (("prior", self.enrolled), ("false-accept rate", self.false_accepts)):
            if not 0 < value < 1:
                raise HandshiftError(f"the {name} must lie between 0 and 1, not {value:g}")


def enroll(
    comparer: Comparer,
    pages: Mapping[str, Paths],
    folder: Path,
    cut: FileContents = FileContents.PAGE,
    on_warning: Callable[[str], None] = lambda warning: None,
    resume: bool = True,
) -> tuple[Gallery, int]:
    """Add pages to the gallery in `folder`.

    Args:
        comparer: The model.
        pages: The pages of each name.
        folder: The gallery; made if it is not there.
        cut: What one file holds.
        on_warning: Called for each picture that was skipped and each page that may not be handwriting.
        resume: Whether to keep files that an earlier attempt has read before it was stopped.

    Returns:
        The gallery and the number of new pages.

    Raises:
        PageError: A page cannot be read, or a name has no legible word.
        GalleryError: The gallery is of another model or of other files.
    """
    if (folder / TABLE).is_file():  # before the pages are read, which may take long
        Gallery.load(folder).check(comparer.fingerprint, cut)
    settings = {"enroll": comparer.fingerprint, "cut": cut.value, "dpi": comparer.dpi}
    with journal_beside(None, folder, settings, resume=resume) as journal:
        read = {_name(name): _read(comparer, paths, cut, journal) for name, paths in pages.items()}
        for embedded in read.values():
            for warning in embedded.warnings:
                on_warning(warning)
        gallery, new = _add(comparer, read, folder, cut)
        if journal:
            journal.finish()
    return gallery, new


def _read(comparer: Comparer, paths: Paths, cut: FileContents, journal: RunJournal | None) -> Embedded:
    """Embed the files of one name, but for those that an earlier attempt has embedded."""
    parts = []
    scans = existing_scans(paths)
    for path in scans:
        earlier = journal.earlier(path)[0] if journal else []
        if earlier:  # one entry for a file
            parts.append(file_from_record(earlier[0], path))
            continue
        part = embed_file(comparer.embedder, path, cut, comparer.guard, comparer.dpi)
        parts.append(part)
        if journal and part.words:  # a file without words leaves nothing to resume with
            sha256 = part.origins[0].sha256 if part.origins else digest_of(path)
            journal.add(file_to_record(part), path, sha256)
    return joined_files(parts, scans[0], cut)


def _add(
    comparer: Comparer, read: Mapping[str, Embedded], folder: Path, cut: FileContents
) -> tuple[Gallery, int]:
    with locked(folder, _PATIENCE):
        if (folder / TABLE).is_file():
            gallery = Gallery.load(folder)
            gallery.check(comparer.fingerprint, cut)
        else:
            gallery = Gallery(comparer.fingerprint, comparer.model.id, cut)
        before = len(gallery.entries)
        for name, embedded in read.items():
            gallery = gallery.with_entries(_entries(name, embedded), embedded.weighed)
        if len(gallery.entries) > before:
            gallery.save(folder)
    return gallery, len(gallery.entries) - before


def remove(names: list[str], folder: Path) -> Gallery:
    """Remove people from a gallery.

    Raises:
        GalleryError: There is no gallery, or a name is not enrolled.
    """
    Gallery.load(folder)  # or the lock would make a folder where there was none
    with locked(folder, _PATIENCE):
        gallery = Gallery.load(folder).without(names)
        gallery.save(folder)
    return gallery


class Identifier:
    """Loads a gallery and its model once and identifies the writers of any number of pages.

    Args:
        gallery: The gallery's folder.
        model: Id of a shipped model or a model's folder; the default model without it.
        aggregation: How a person's words become one prototype.
        search: Compare with all enrolled, or with a shortlist found by faiss.
        comparer: A model loaded before; `model`, `force` and `dpi` are then not read.
        force: Whether to state ratios outside of the model's scope as well, marked as such.
        dpi: Resolution of the pages, where their files do not say it or are wrong.

    Raises:
        GalleryError: Nobody is enrolled, or the gallery was made by another model.
    """

    def __init__(
        self,
        gallery: Path | str,
        model: str | None = None,
        *,
        aggregation: Aggregation = Aggregation.MEAN,
        search: Search = Search.EXACT,
        comparer: Comparer | None = None,
        force: bool = False,
        dpi: float | None = None,
    ) -> None:
        self._gallery = Gallery.load(Path(gallery))
        self._comparer = comparer or Comparer(model, force=force, dpi=dpi)
        self.fingerprint = self._comparer.fingerprint
        self._gallery.check(self.fingerprint)
        if not self._gallery.entries:
            raise GalleryError(f"{gallery}: nobody is enrolled; add pages with `handshift enroll NAME PAGES`")
        self._aggregation = aggregation
        self._names = self._gallery.names
        same = self._comparer.same_writer
        people = self._gallery.pages_with_sizes()
        if self._gallery.cut is not FileContents.PAGE:  # files of one word each are one set
            people = [[np.concatenate(pages)] for pages in people]
        self._known = Sums(np.concatenate([same.side(pages, aggregation).rows for pages in people]))
        self._index = None
        if search is Search.FAISS:
            pooled = prototypes(self._gallery.sets(), aggregation)
            self._index = FaissIndex(same.plda.project_means(pooled))

    def identify(self, page: Paths, assumed: Assumed | None = None) -> Identification:
        """Rank the enrolled by how well their hand explains the page's words."""
        return self.rank(self._comparer.embed(page, self._gallery.cut), assumed or Assumed())

    def rank(self, page: Embedded, assumed: Assumed) -> Identification:
        """Rank the enrolled for words whose vectors are known."""
        model, context = self._comparer.same_writer, self._comparer.same_writer.calibration
        query = model.side(page.sets, self._aggregation)
        rows = self._compared(page)
        known = self._known[rows]
        found = model.ratios(query, known)
        scope = page.scope
        score, log10_lr, weight = found.score, scope.weight * found.log10_lr, found.weight
        size = found.words
        confidence, none = posterior(log10_lr, assumed.enrolled, len(self._names), float(found.low.mean()))
        order = np.argsort(-weight, kind="stable")
        best = order[0]
        sized = bool(found.size[best])  # the size of the writing is known on both sides
        threshold = context.threshold(float(size[best]), len(self._names), assumed.false_accepts, sized)
        candidates = tuple(
            Candidate(self._names[rows[at]], float(score[at]), float(log10_lr[at]), float(confidence[at]))
            for at in order
        )
        return Identification(
            candidates=candidates,
            accepted=candidates[0].name if weight[best] >= threshold and not scope.withheld else None,
            none=none,
            weight=float(weight[best]),
            threshold=threshold,
            false_accepts=assumed.false_accepts,
            prior=assumed.enrolled,
            words=len(page.words),
            enrolled=len(self._names),
            propositions=context.propositions,
            model=self._comparer.model.id,
            warnings=(*page.warnings, *self._enrolled_pages(page)),
            scope=scope,
        )

    def _compared(self, page: Embedded) -> NDArray[np.int64]:
        if self._index is None:
            return np.arange(len(self._names))
        query = prototypes([page.weighed], self._aggregation)
        return self._index.nearest(self._comparer.same_writer.plda.project_means(query)[0], SHORTLIST)

    def _enrolled_pages(self, page: Embedded) -> list[str]:
        given = {origin.sha256 for origin in page.origins}
        return [
            f"this page is itself enrolled, as {entry.name!r}; it agrees with itself"
            for entry in self._gallery.entries
            if entry.sha256 in given
        ][:1]


def _entries(name: str, embedded: Embedded) -> list[Entry]:
    return [
        Entry(name, str(origin.source), origin.sha256, origin.number + 1, origin.words, origin.size)
        for origin in embedded.origins
    ]


def _name(name: str) -> str:
    tidy = " ".join(name.split())
    if not tidy:
        raise GalleryError("a name must not be empty")
    return tidy
