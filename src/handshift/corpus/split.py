"""Writer-disjoint splits: no hand that is learned from is ever tested on.

A split for a corpus that comes without one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import floor
from pathlib import Path

from handshift.core.atomic import write_text
from handshift.core.errors import CorpusError, HandshiftError
from handshift.core.loaders import LoadError, read_json_object
from handshift.corpus.manifest import Corpus


@dataclass(frozen=True, slots=True)
class Stratum:
    """Writers with at least so many pages, and how they are shared out."""

    at_least: int
    shares: Mapping[str, float]


STRATA = (
    # Full writers are scarce and are what calibration and test need; thin ones mostly help training.
    Stratum(18, {"train": 0.50, "calibration": 0.16, "validation": 0.11, "test": 0.23}),
    Stratum(2, {"train": 0.70, "calibration": 0.12, "validation": 0.06, "test": 0.12}),
    Stratum(1, {"train": 0.80, "calibration": 0.08, "validation": 0.04, "test": 0.08}),
)


@dataclass(frozen=True, slots=True)
class WriterSplit:
    """Named parts of a corpus, each a sorted tuple of writers, disjoint by construction."""

    corpus: str
    seed: int
    parts: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        for part, writers in self.parts.items():
            if len(set(writers)) < len(writers):
                raise CorpusError(f"part {part!r} of the split names a writer twice")
        for (one, some), (other, more) in combinations(self.parts.items(), 2):
            if shared := sorted(set(some) & set(more)):
                raise CorpusError(
                    f"parts {one!r} and {other!r} of the split share {len(shared)} writer(s), "
                    f"{shared[0]!r} among them; make the split anew"
                )

    @classmethod
    def make(
        cls, corpus: str, pages: Mapping[str, int], seed: int, strata: Sequence[Stratum] = STRATA
    ) -> WriterSplit:
        """Deal out writers (``pages`` counts each one's samples), stratum by stratum."""
        parts: dict[str, list[str]] = {part: [] for stratum in strata for part in stratum.shares}
        left = set(pages)
        for stratum in sorted(strata, key=lambda s: -s.at_least):
            members = {writer for writer in left if pages[writer] >= stratum.at_least}
            left -= members
            deck = sorted(members, key=lambda writer: _draw(seed, writer))
            for part, size in _sizes(len(deck), stratum.shares).items():
                parts[part] += deck[:size]
                deck = deck[size:]
        if left:
            raise CorpusError(f"writer {min(left)!r} has too few samples for any stratum of the split")
        return cls(corpus, seed, {part: tuple(sorted(writers)) for part, writers in parts.items()})

    @classmethod
    def load(cls, path: Path | str, known: Collection[str] | None = None) -> WriterSplit:
        """Read a saved split and check it; ``known`` are the writers of the corpus it is meant for."""
        try:
            content = read_json_object(path, "a split")
            parts = {str(part): _names(writers) for part, writers in content["parts"].items()}
            split = cls(str(content["corpus"]), int(content["seed"]), parts)
        except CorpusError as error:
            raise CorpusError(f"{path}: {error}") from error
        except LoadError as error:
            raise CorpusError(str(error)) from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise CorpusError(f'{path}: not a split; wanted {{"corpus", "seed", "parts"}} as JSON') from error
        unknown = sorted(set().union(*parts.values()) - set(known)) if known is not None else []
        if unknown:
            raise CorpusError(
                f"{path}: the split names {len(unknown)} writer(s) the corpus lacks, "
                f"{unknown[0]!r} among them; it belongs to another corpus or version"
            )
        return split

    def save(self, path: Path | str) -> None:
        """Write the split as JSON, one part a line, so that a change shows in a diff."""
        lines = ",\n".join(
            f"    {json.dumps(part)}: {json.dumps(writers)}" for part, writers in self.parts.items()
        )
        head = f'  "corpus": {json.dumps(self.corpus)},\n  "seed": {self.seed},\n'
        write_text(path, f'{{\n{head}  "parts": {{\n{lines}\n  }}\n}}\n')

    def part_of(self, writer: str) -> str | None:
        """Tell which part a writer is in, or None for a writer the split does not know."""
        return next((part for part, writers in self.parts.items() if writer in writers), None)


def _names(writers: object) -> tuple[str, ...]:
    if not isinstance(writers, list):  # else the string "abc" would pass for three writers
        raise TypeError
    return tuple(map(str, writers))


def _draw(seed: int, writer: str) -> bytes:
    # A hash rather than a shuffle: a writer added later does not move the others about.
    return hashlib.sha256(f"{seed}:{writer}".encode()).digest()


def _sizes(count: int, shares: Mapping[str, float]) -> dict[str, int]:
    """Whole numbers that add up to ``count``, nearest to the shares (largest remainders)."""
    total = sum(shares.values())
    exact = {part: count * share / total for part, share in shares.items()}
    sizes = {part: floor(size) for part, size in exact.items()}
    by_remainder = sorted(exact, key=lambda part: sizes[part] - exact[part])
    for part in by_remainder[: count - sum(sizes.values())]:
        sizes[part] += 1
    return sizes


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
