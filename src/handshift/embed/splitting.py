"""A split for a corpus that comes without one."""

from __future__ import annotations

from pathlib import Path

from handshift.corpus.manifest import Corpus
from handshift.corpus.split import Stratum, WriterSplit
from handshift.error import HandshiftError

SHARES = {"train": 0.6, "validation": 0.15, "calibration": 0.15, "test": 0.1}
FEWEST = 2
"""Writers without whom neither training nor verification means anything."""


def split_of(corpus: Corpus, given: Path | None, kept: Path, seed: int) -> WriterSplit:
    """The split that is given; else the one kept beside the run; else a new one, which is then kept."""
    if given is not None or kept.exists():
        return WriterSplit.load(given or kept, known=corpus.writers)
    split = _made(corpus, seed)
    kept.parent.mkdir(parents=True, exist_ok=True)
    split.save(kept)
    return split


def _made(corpus: Corpus, seed: int) -> WriterSplit:
    count = len(corpus.writers)
    if count < 2 * FEWEST:
        raise HandshiftError(
            f"{corpus.root}: {count} writer(s); training needs two and examination two others"
        )
    split = WriterSplit.make(corpus.name, corpus.writers, seed, (Stratum(1, SHARES),))
    if len(split.parts["validation"]) >= FEWEST:
        return split
    # Too few to calibrate or test with as well.
    shares = {"train": count - FEWEST, "validation": FEWEST}
    return WriterSplit.make(corpus.name, corpus.writers, seed, (Stratum(1, shares),))
