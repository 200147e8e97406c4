"""Makes the bags of every part of a writer split, by the word protocol or by the source's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from handshift.bag.bagset import BagSet
from handshift.bag.draw import Drawer
from handshift.bag.pages import Key, WordTable, documents_of, pages_of
from handshift.bag.patterns import Block, Blocks, Lines, Pattern, Scattered, Where
from handshift.bag.plan import Kind, Plan
from handshift.bag.rebalance import rebalanced
from handshift.bag.source_protocol import INSTANCES, WINDOW, source_bags
from handshift.bag.source_protocol import SHARES as SOURCE_SHARES
from handshift.core.errors import HandshiftError
from handshift.corpus.split import Stratum, WriterSplit

PROTOCOLS = ("words", "source")
PATTERNS: dict[str, Pattern] = {
    "block": Block(),
    "front": Block(Where.FRONT),
    "middle": Block(Where.MIDDLE),
    "back": Block(Where.BACK),
    "blocks": Blocks(),
    "scattered": Scattered(),
    "lines": Lines(),
}
SHARES = (0.05, 0.1, 0.2, 0.3, 0.5)
PARTS = {"train": 0.6, "validation": 0.2, "test": 0.2}
"""The source's split by writer."""


@dataclass(frozen=True, slots=True)
class BagOptions:
    """How bags are made; the options of `handshift bags`."""

    protocol: str = "words"
    """`words` replaces words; `source` replaces whole windows of five words, ten windows a bag."""
    words: int = 14
    """Words of a bag (protocol `words`); the source's bags have 10 × 5."""
    shares: tuple[float, ...] = ()
    """Shares of foreign words or windows, equally often; those of the protocol if empty."""
    patterns: tuple[str, ...] = ("block", "scattered")
    """Of foreign words (protocol `words`), by their names in `PATTERNS`."""
    hands: tuple[int, ...] = (2,)
    """Writers of a mixed bag (protocol `words`)."""
    spliced: bool = False
    """Whether two thirds of the one-hand bags come from two sessions (protocol `words`)."""
    count: int = 6000
    """Bags of the train part (protocol `words`); the other parts have a third of that."""
    mixed_per_single: float = 2.0
    """Class ratio after balancing (protocol `source`)."""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.protocol not in PROTOCOLS:
            raise HandshiftError(f"protocol: {self.protocol!r} is not known; choose {' or '.join(PROTOCOLS)}")
        unknown = [name for name in self.patterns if name not in PATTERNS]
        if unknown or not self.patterns:
            raise HandshiftError(f"pattern: {', '.join(unknown)} not known; choose {', '.join(PATTERNS)}")
        defaults = BagOptions.__dataclass_fields__
        if self.protocol == "source":
            changed = [
                name
                for name in ("words", "patterns", "hands", "spliced", "count")
                if getattr(self, name) != defaults[name].default
            ]
            if changed:
                raise HandshiftError(
                    f"{', '.join(changed)}: not of the source's protocol, with ten windows of five words, "
                    "random windows of one other writer, and all documents; use --protocol words"
                )

    @property
    def most_hands(self) -> int:
        """Writers that a part needs for its mixed bags."""
        return max(2, *self.hands)

    def record(self) -> dict[str, Any]:
        """What was used, as plain data; options that the protocol does not have are left out."""
        used = asdict(self)
        if self.protocol == "source":
            used = {
                "protocol": "source",
                "words": INSTANCES * WINDOW,
                "instances": INSTANCES,
                "width": WINDOW,
            }
            used |= {"mixed_per_single": self.mixed_per_single, "seed": self.seed}
        else:
            used.pop("mixed_per_single")
        return used | {"shares": self.shares or (SOURCE_SHARES if self.protocol == "source" else SHARES)}


@dataclass(frozen=True, slots=True)
class MadeBags:
    """Bags of every part, and their numbers before balancing."""

    parts: Mapping[str, BagSet]
    before: Mapping[str, Mapping[str, int]]
    left_out: Mapping[str, int]
    """Parts with fewer writers than a mixed bag needs, and how many they have."""


def split_by_writer(table: WordTable, corpus: str, seed: int) -> WriterSplit:
    """60:20:20 by writer, as the source splits.

    Raises:
        HandshiftError: the table has fewer than two writers for training.
    """
    names, counts = np.unique(table.writer, return_counts=True)
    pages = dict(zip(names.tolist(), counts.tolist(), strict=True))
    return WriterSplit.make(corpus, pages, seed, (Stratum(1, PARTS),))


def make_bags(table: WordTable, split: WriterSplit, options: BagOptions) -> MadeBags:
    """Bags of the parts train, validation and test, each from its own writers and random stream.

    Args:
        table: page, writer, session and prompt of every word vector.
        split: writers of each part; other parts are ignored.
        options: protocol and amounts.

    Raises:
        HandshiftError: the train part has too few writers for a mixed bag, or its pages are too short.
    """
    parts, before, left_out = {}, {}, {}
    known = set(np.unique(table.writer).tolist())
    for stream, part in enumerate(PARTS, 1):
        writers = [writer for writer in split.parts.get(part, ()) if writer in known]
        if len(writers) < options.most_hands:
            left_out[part] = len(writers)
            continue
        rng = np.random.default_rng([options.seed, 7919, stream])
        if options.protocol == "source":
            documents = documents_of(table, writers, Key.SESSION)
            bags = source_bags(documents, rng, shares=options.shares or SOURCE_SHARES, mixed_per_single=None)
            parts[part] = rebalanced(bags, options.mixed_per_single, rng)
        else:
            bags = Drawer(pages_of(table, writers), _plan(options)).draw(_count(options, part), rng)
            parts[part] = bags
        before[part] = counts_of(bags)
    if "train" in left_out:
        raise HandshiftError(
            f"the train part has {left_out['train']} of the writers of the vectors; "
            f"a mixed bag needs {options.most_hands}"
        )
    return MadeBags(parts, before, left_out)


def counts_of(bags: BagSet) -> dict[str, int]:
    """Number of bags by kind and share: `single`, `spliced`, `mixed 5 %`, …"""
    names = [
        kind if kind != "mixed" else f"mixed {100 * share:g} %"
        for kind, share in zip(bags.kind.tolist(), bags.share.tolist(), strict=True)
    ]
    order = sorted(set(names), key=lambda name: (name.startswith("mixed"), _share_of(name), name))
    return {name: names.count(name) for name in order}


def _share_of(name: str) -> float:
    return float(name.split()[1]) if name.startswith("mixed") else 0.0


def _plan(options: BagOptions) -> Plan:
    kinds = {Kind.SINGLE: 1.0, Kind.MIXED: 1.0}
    if options.spliced:
        kinds = {Kind.SINGLE: 1.0, Kind.SPLICED: 2.0, Kind.MIXED: 3.0}
    patterns = tuple(PATTERNS[name] for name in options.patterns)
    shares = options.shares or SHARES
    return Plan(options.words, shares=shares, patterns=patterns, writers=options.hands, kinds=kinds)


def _count(options: BagOptions, part: str) -> int:
    return options.count if part == "train" else max(2, options.count // 3)
