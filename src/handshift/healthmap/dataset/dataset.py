"""One map of a data set and what is known of it.

A data set: what is learned from, what sets the threshold, and what is tested on.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from handshift.core.errors import MapError
from handshift.page.find_scans import natural_order

GOOD = "good"


@dataclass(frozen=True, slots=True)
class MapItem:
    """A file, its domain, and the truth about it."""

    path: Path
    domain: str
    defect: str = GOOD
    """``good``, or the kind of fault."""
    mask: Path | None = None
    """Picture of the faulty pixels, where there is one."""

    @property
    def label(self) -> int:
        """0 normal, 1 faulty."""
        return int(self.defect != GOOD)


log = logging.getLogger(__name__)
HELD_BACK = 0.1
"""Share of normal maps that are not learned from but set thresholds."""
STRETCHES = 5


@dataclass(frozen=True, slots=True)
class MapDataset:
    """Normal maps to train on, normal maps to set thresholds by, and maps of both classes to test on."""

    root: Path
    train: tuple[MapItem, ...]
    validation: tuple[MapItem, ...]
    test: tuple[MapItem, ...]

    @property
    def domains(self) -> tuple[str, ...]:
        """Names of all domains, in natural order."""
        names = {item.domain for part in (self.train, self.validation, self.test) for item in part}
        return tuple(sorted(names, key=lambda name: natural_order(Path(name))))

    def only(self, *domains: str) -> MapDataset:
        """The same data set with some of its domains: one model for each, instead of one for all."""
        if unknown := sorted(set(domains) - set(self.domains)):
            raise MapError(self.root, f"has no domain {unknown[0]!r}; it has {', '.join(self.domains)}")
        train, validation, test = (
            tuple(item for item in part if item.domain in domains)
            for part in (self.train, self.validation, self.test)
        )
        if not train:
            raise MapError(self.root, f"domain {', '.join(domains)} is empty: no normal maps to train on")
        return MapDataset(self.root, train, validation, test)

    def counts(self) -> dict[str, dict[str, int]]:
        """By domain: maps to train, validate and test on, the last by label."""
        parts = {
            "train": Counter(item.domain for item in self.train),
            "validation": Counter(item.domain for item in self.validation),
            "test good": Counter(item.domain for item in self.test if not item.label),
            "test fault": Counter(item.domain for item in self.test if item.label),
        }
        return {domain: {name: part[domain] for name, part in parts.items()} for domain in self.domains}


def divide(
    root: Path, train: Iterable[MapItem], test: Iterable[MapItem], held_back: float = HELD_BACK
) -> MapDataset:
    """Close a data set: hold a share of each domain's normal training maps back for validation.

    No threshold is ever taken from the test maps.
    """
    learned: list[MapItem] = []
    held: list[MapItem] = []
    known, tested = list(train), ordered(test)
    if not known:
        raise MapError(root, "holds no normal maps to train on; put them into <domain>/train/good")
    for domain in sorted({item.domain for item in known}):
        members = ordered(item for item in known if item.domain == domain)
        if len(members) < 2:
            raise MapError(root, f"domain {domain!r} has one normal map to train on; 2 is the least")
        for item, kept_back in zip(members, _marked(len(members), held_back), strict=True):
            (held if kept_back else learned).append(item)
    for domain in sorted({item.domain for item in tested} - {item.domain for item in known}):
        log.warning(
            "%s: domain %s has no normal maps to train on; only other domains tell of it", root, domain
        )
    return MapDataset(root, tuple(learned), tuple(held), tuple(tested))


def _marked(count: int, share: float) -> list[bool]:
    """Mark the last ``share`` of each of (up to) five stretches.

    Not at random: maps of a recording are named by time, and neighbours in time are nearly copies of each
    other. Not in one piece either: a machine that warms up would be judged by its warm end alone.
    """
    stretches = min(STRETCHES, max(1, int(count * share)))
    marks: list[bool] = []
    for stretch in range(stretches):
        length = (stretch + 1) * count // stretches - stretch * count // stretches
        back = max(1, round(share * length))
        marks += [False] * (length - back) + [True] * back
    return marks


def ordered(items: Iterable[MapItem]) -> list[MapItem]:
    """Sort by domain and name, map 2 before map 10."""
    return sorted(items, key=lambda item: (item.domain, natural_order(item.path)))
