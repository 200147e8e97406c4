"""Verification: the likelihood ratio of one writer against two for two sets of pages."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from handshift.attribution.comparison import Comparison
from handshift.attribution.same_writer import GroupRatios, SameWriter
from handshift.embedding.crops.file_contents import FileContents
from handshift.models.shipped_models import find_model
from handshift.pipeline.embed_files import Embedded, embed_files
from handshift.pipeline.read_pages import Paths

DECADES = (0.0, 1.0, 2.0)
SAME_FILE = "the same file is on both sides; it agrees with itself"


class Comparer:
    """Loads a model once and compares any number of pages.

    Args:
        model: Id of a shipped model or a model's folder; the default model without it.
        threads: Processor threads of the word network.
        force: Whether to state ratios outside of the model's scope as well, marked as such.
        dpi: Resolution of the pages, where their files do not say it or are wrong.
    """

    def __init__(
        self, model: str | None = None, threads: int = 2, force: bool = False, dpi: float | None = None
    ) -> None:
        self.dpi = dpi
        shipped = find_model(model)
        self.model = shipped.card
        self.fingerprint = shipped.fingerprint()
        self.same_writer = SameWriter.of(shipped.covariances(), shipped.comparison())
        self.embedder = shipped.embedder(threads)
        self.guard = shipped.scope_guard(force)

    def embed(self, paths: Paths, cut: FileContents = FileContents.PAGE) -> Embedded:
        """Embed all legible words that the paths lead to."""
        return embed_files(self.embedder, paths, cut, self.guard, self.dpi)

    def verify(self, a: Paths, b: Paths, cut: FileContents = FileContents.PAGE) -> Comparison:
        """Compare two sides, each taken as one person's: a page, a folder or several."""
        return self.compare(self.embed(a, cut), self.embed(b, cut))

    def compare(self, a: Embedded, b: Embedded) -> Comparison:
        """Compare two sides whose vectors are known; each page of a side is a session of one person."""
        model = self.same_writer
        sides = model.side(a.sets), model.side(b.sets)
        found = model.ratios(*sides)
        letters = [float(side.letter_mm[0]) for side in sides]
        shared = {origin.sha256 for origin in a.origins} & {origin.sha256 for origin in b.origins}
        scope = a.scope.joined(b.scope)
        raw = float(found.log10_lr[0])
        return Comparison(
            score=float(found.score[0]),
            log10_lr=scope.weight * raw,
            bounds=(float(found.low[0]), float(found.high[0])),
            words=(len(a.words), len(b.words)),
            propositions=model.calibration.propositions,
            model=self.model.id,
            warnings=(*dict.fromkeys(a.warnings + b.warnings), *[SAME_FILE] * bool(shared)),
            scope=scope,
            raw_log10_lr=raw,
            letter_mm=(letters[0], letters[1]) if all(map(isfinite, letters)) else None,
            size_log10_lr=float(found.size[0]),
            strangers=tuple(self._strangers(found)),
        )

    def _strangers(self, found: GroupRatios) -> Iterator[tuple[float, float]]:
        """How often comparisons of two writers reach the ratio found, and the decades."""
        sized = bool(found.size[0])  # known on both sides
        for weight in (float(found.weight[0]), *DECADES):
            rate = self.same_writer.calibration.stranger_rate([weight], found.words, sized)
            yield weight, float(rate[0])
