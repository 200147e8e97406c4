"""Verification: the likelihood ratio of one writer against two for two sets of pages."""

from __future__ import annotations

from handshift.attribution.comparison import Comparison
from handshift.calibration.pair_calibration import words_of_pair
from handshift.core.arrays import Floats
from handshift.detect.plda import log_ratios
from handshift.embedding.crops.file_contents import FileContents
from handshift.embedding.prototypes import Prototypes, prototypes
from handshift.models.shipped_models import find_model
from handshift.pipeline.embed_files import Embedded, embed_files
from handshift.pipeline.read_pages import Paths

SAME_FILE = "the same file is on both sides; it agrees with itself"


class Comparer:
    """Loads a model once and compares any number of pages.

    Args:
        model: Id of a shipped model or a model's folder; the default model without it.
        threads: Processor threads of the word network.
        force: Whether to state ratios outside of the model's scope as well, marked as such.
    """

    def __init__(self, model: str | None = None, threads: int = 2, force: bool = False) -> None:
        shipped = find_model(model)
        self.model = shipped.card
        self.fingerprint = shipped.fingerprint()
        self.context = shipped.comparison()
        self.covariances = self.context.widened(shipped.covariances())
        self.embedder = shipped.embedder(threads)
        self.guard = shipped.scope_guard(force)

    def embed(self, paths: Paths, cut: FileContents = FileContents.PAGE) -> Embedded:
        """Embed all legible words that the paths lead to."""
        return embed_files(self.embedder, paths, cut, self.guard)

    def verify(self, a: Paths, b: Paths, cut: FileContents = FileContents.PAGE) -> Comparison:
        """Compare two sides, each taken as one person's: a page, a folder or several."""
        return self.compare(self.embed(a, cut), self.embed(b, cut))

    def compare_many(self, one: Prototypes, others: Prototypes) -> tuple[Floats, Floats, Floats]:
        """Compare one set of words with many, of each of which only mean and number of words are known.

        Returns:
            (others,) score, calibrated log10 LR before it is clipped, by which candidates are ranked, and
            log10 LR; of pages inside of what was validated, as `compare` gives them.
        """
        score = log_ratios(one, others, self.covariances)
        size = words_of_pair(one.counts, others.counts)
        return score, self.context.weight(score, size), self.context.log10_lr(score, size)

    def compare(self, a: Embedded, b: Embedded) -> Comparison:
        """Compare two sets of words whose vectors are known."""
        sides = prototypes([a.weighed, b.weighed])
        one, two = sides[:1], sides[1:]
        (score,) = log_ratios(one, two, self.covariances)
        size = float(words_of_pair(one.counts, two.counts)[0])
        lowest, highest = self.context.bounds(size)
        shared = {origin.sha256 for origin in a.origins} & {origin.sha256 for origin in b.origins}
        scope = a.scope.joined(b.scope)
        raw = float(self.context.log10_lr(score, size))
        return Comparison(
            score=float(score),
            log10_lr=scope.weight * raw,
            bounds=(float(lowest), float(highest)),
            words=(len(a.words), len(b.words)),
            propositions=self.context.propositions,
            model=self.model.id,
            warnings=(*dict.fromkeys(a.warnings + b.warnings), *[SAME_FILE] * bool(shared)),
            scope=scope,
            raw_log10_lr=raw,
        )
