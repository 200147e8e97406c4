"""Writer-disjoint splits: no writer of a training set is in a test set."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import floor
from pathlib import Path

from typing_extensions import TypedDict

from handshift.core.atomic import write_text
from handshift.core.errors import CorpusError, HandshiftError
from handshift.core.loaders import LoadError
from handshift.core.records import read_record
from handshift.corpus.manifest import Corpus


@dataclass(frozen=True, slots=True)
class Stratum:
    """Writers with at least ``at_least`` pages, and the shares of the parts among them."""

    at_least: int
    shares: Mapping[str, float]


STRATA = (
    # Writers with many pages are scarce and needed for calibration and test; the others mostly help training.
    Stratum(18, {"train": 0.50, "calibration": 0.16, "validation": 0.11, "test": 0.23}),
    Stratum(2, {"train": 0.70, "calibration": 0.12, "validation": 0.06, "test": 0.12}),
    Stratum(1, {"train": 0.80, "calibration": 0.08, "validation": 0.04, "test": 0.08}),
)


class SplitRecord(TypedDict):
    """A split, as it is stored."""

    corpus: str
    seed: int
    parts: dict[str, list[str]]


SplitRecord.__pydantic_config__ = {"strict": True, "extra": "allow"}  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class WriterSplit:
    """Named parts of a corpus, each a sorted tuple of writers, disjoint by construction."""

    corpus: str
    seed: int
    parts: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        for part, writers in self.parts.items():
            if len(set(writers)) < len(writers):
                raise CorpusError(f"part {part!r} of the split names a writer more than once")
        for (one, some), (other, more) in combinations(self.parts.items(), 2):
            if shared := writers_on_both_sides(some, more):
                raise CorpusError(
                    f"parts {one!r} and {other!r} of the split share {len(shared)} writer(s), "
                    f"{shared[0]!r} among them; make the split anew"
                )

    @classmethod
    def make(
        cls, corpus: str, pages: Mapping[str, int], seed: int, strata: Sequence[Stratum] = STRATA
    ) -> WriterSplit:
        """Assign writers to parts at random, stratum by stratum.

        Args:
            corpus: Name of the corpus.
            pages: Number of samples of each writer.
            seed: Seed of the assignment.
            strata: Strata by number of pages, and the shares of the parts in each.

        Returns:
            The split.

        Raises:
            CorpusError: A writer belongs to no stratum.
        """
        parts: dict[str, list[str]] = {part: [] for stratum in strata for part in stratum.shares}
        left = set(pages)
        for stratum in sorted(strata, key=lambda s: -s.at_least):
            members = {writer for writer in left if pages[writer] >= stratum.at_least}
            left -= members
            ordered = sorted(members, key=lambda writer: _draw(seed, writer))
            for part, size in _sizes(len(ordered), stratum.shares).items():
                parts[part] += ordered[:size]
                ordered = ordered[size:]
        if left:
            raise CorpusError(f"writer {min(left)!r} has too few samples for any stratum of the split")
        return cls(corpus, seed, {part: tuple(sorted(writers)) for part, writers in parts.items()})

    @classmethod
    def load(cls, path: Path | str, known: Collection[str] | None = None) -> WriterSplit:
        """Read a saved split and check it.

        Args:
            path: The JSON file.
            known: Writers of the corpus that the split is used with.

        Returns:
            The split.

        Raises:
            CorpusError: The file is not a split, parts overlap, or a writer is not in ``known``.
        """
        try:
            content = read_record(path, SplitRecord, 'a split; wanted {"corpus", "seed", "parts"} as JSON')
            parts = {part: tuple(writers) for part, writers in content["parts"].items()}
            split = cls(content["corpus"], content["seed"], parts)
        except CorpusError as error:
            raise CorpusError(f"{path}: {error}") from error
        except LoadError as error:
            raise CorpusError(str(error)) from error
        unknown = sorted(set().union(*parts.values()) - set(known)) if known is not None else []
        if unknown:
            raise CorpusError(
                f"{path}: the split names {len(unknown)} writer(s) the corpus lacks, "
                f"{unknown[0]!r} among them; it belongs to another corpus or version"
            )
        return split

    def save(self, path: Path | str) -> None:
        """Write the split as JSON, one line for each part, so that changes show in a diff."""
        lines = ",\n".join(
            f"    {json.dumps(part)}: {json.dumps(writers)}" for part, writers in self.parts.items()
        )
        head = f'  "corpus": {json.dumps(self.corpus)},\n  "seed": {self.seed},\n'
        write_text(path, f'{{\n{head}  "parts": {{\n{lines}\n  }}\n}}\n')

    @property
    def calibration_part(self) -> str:
        """The part whose writers calibrate: ``calibration``, or ``validation`` in a split of three parts.

        Raises:
            CorpusError: The split has neither.
        """
        for part in ("calibration", "validation"):
            if self.parts.get(part):
                return part
        raise CorpusError("the split has no writers to calibrate on: neither calibration nor validation")

    def part_of(self, writer: str) -> str | None:
        """Name of the part that holds a writer; None for a writer who is not in the split."""
        return next((part for part, writers in self.parts.items() if writer in writers), None)


def writers_on_both_sides(some: Collection[str], others: Collection[str]) -> list[str]:
    """Writers of ``some`` who are among ``others`` too, under the same name or another spelling of it.

    Case, spaces and Unicode forms make no other person: "W 07" on one side and "w07" on the other is a leak.
    """
    known = {_spelled(writer) for writer in others}
    return sorted(writer for writer in set(some) if _spelled(writer) in known)


def _spelled(writer: str) -> str:
    return "".join(unicodedata.normalize("NFKC", writer).casefold().split())


def _draw(seed: int, writer: str) -> bytes:
    # A hash rather than a shuffle: adding a writer does not move the others.
    return hashlib.sha256(f"{seed}:{writer}".encode()).digest()


def _sizes(count: int, shares: Mapping[str, float]) -> dict[str, int]:
    """Largest-remainder apportionment of ``count`` to the shares."""
    total = sum(shares.values())
    exact = {part: count * share / total for part, share in shares.items()}
    sizes = {part: floor(size) for part, size in exact.items()}
    by_remainder = sorted(exact, key=lambda part: sizes[part] - exact[part])
    for part in by_remainder[: count - sum(sizes.values())]:
        sizes[part] += 1
    return sizes


SHARES = {"train": 0.6, "validation": 0.15, "calibration": 0.15, "test": 0.1}
FEWEST = 2
"""Fewest writers for a training or validation part."""


def split_of(corpus: Corpus, given: Path | None, kept: Path, seed: int) -> WriterSplit:
    """Load the split that is given, else the one stored with the run, else make and store a new one.

    Args:
        corpus: The corpus to split.
        given: A split file named by the user.
        kept: Where the run stores its split.
        seed: Seed of a new split.

    Returns:
        The split.

    Raises:
        CorpusError: A stored split does not fit the corpus.
        HandshiftError: The corpus has fewer than four writers.
    """
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
            f"{corpus.root}: {count} writer(s); training needs two and validation two others"
        )
    split = WriterSplit.make(corpus.name, corpus.writers, seed, (Stratum(1, SHARES),))
    if len(split.parts["validation"]) >= FEWEST:
        return split
    # Too few to calibrate or test with as well.
    shares = {"train": count - FEWEST, "validation": FEWEST}
    return WriterSplit.make(corpus.name, corpus.writers, seed, (Stratum(1, shares),))
