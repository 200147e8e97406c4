"""A data set of maps in three parts: training, validation (for thresholds) and test."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from handshift.core.errors import MapError
from handshift.page.walk_files import natural_order

GOOD = "good"


@dataclass(frozen=True, slots=True)
class MapItem:
    """A file, its domain and its label."""

    path: Path
    domain: str
    defect: str = GOOD
    """``good``, or the kind of fault."""
    mask: Path | None = None
    """Picture of the faulty pixels, if there is one."""

    @property
    def label(self) -> int:
        """0 normal, 1 faulty."""
        return int(self.defect != GOOD)


log = logging.getLogger(__name__)
VALIDATION_SHARE = 0.1
"""Share of normal training maps held out to set thresholds."""
VALIDATION_BLOCKS = 5
"""Contiguous blocks of the training maps, each of which gives its last maps to validation."""


@dataclass(frozen=True, slots=True)
class MapDataset:
    """Normal maps for training and for validation, and maps of both classes for test."""

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
        """Restrict the data set to some of its domains.

        Raises:
            MapError: A domain does not exist or has no normal maps to train on.
        """
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
        """Number of maps by domain and part; the test part is divided by label."""
        parts = {
            "train": Counter(item.domain for item in self.train),
            "validation": Counter(item.domain for item in self.validation),
            "test good": Counter(item.domain for item in self.test if not item.label),
            "test fault": Counter(item.domain for item in self.test if item.label),
        }
        return {domain: {name: part[domain] for name, part in parts.items()} for domain in self.domains}


def hold_out_validation(
    root: Path, train: Iterable[MapItem], test: Iterable[MapItem], validation_share: float = VALIDATION_SHARE
) -> MapDataset:
    """Hold out a share of each domain's normal training maps for validation.

    Args:
        root: Folder of the data set, for messages.
        train: Normal maps.
        test: Maps of both classes; never used for thresholds.
        validation_share: Share of the normal maps to hold out.

    Returns:
        The data set.

    Raises:
        MapError: There are no normal maps, or a domain has only one.
    """
    training: list[MapItem] = []
    validation: list[MapItem] = []
    normal, tested = list(train), ordered(test)
    if not normal:
        raise MapError(root, "holds no normal maps to train on; put them into <domain>/train/good")
    for domain in sorted({item.domain for item in normal}):
        members = ordered(item for item in normal if item.domain == domain)
        if len(members) < 2:
            raise MapError(root, f"domain {domain!r} has one normal map to train on; at least 2 are needed")
        for item, held_out in zip(members, validation_mask(len(members), validation_share), strict=True):
            (validation if held_out else training).append(item)
    for domain in sorted({item.domain for item in tested} - {item.domain for item in normal}):
        log.warning(
            "%s: domain %s has no normal maps to train on; the model is fitted to other domains only",
            root, domain,
        )  # fmt: skip
    return MapDataset(root, tuple(training), tuple(validation), tuple(tested))


def validation_mask(count: int, share: float) -> list[bool]:
    """Mark the last ``share`` of each of up to five contiguous blocks.

    Not at random: maps of a recording are named by time, and neighbours in time are nearly identical. Not one
    block either: the thresholds of a machine that warms up would rest on its warm end alone.
    """
    blocks = min(VALIDATION_BLOCKS, max(1, int(count * share)))
    mask: list[bool] = []
    for block in range(blocks):
        length = (block + 1) * count // blocks - block * count // blocks
        held_out = max(1, round(share * length))
        mask += [False] * (length - held_out) + [True] * held_out
    return mask


def ordered(items: Iterable[MapItem]) -> list[MapItem]:
    """Sort by domain, then by name in natural order (map 2 before map 10)."""
    return sorted(items, key=lambda item: (item.domain, natural_order(item.path)))
