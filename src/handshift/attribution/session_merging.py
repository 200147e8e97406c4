"""Sittings are not people: one person may have sat down twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import log

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.hmm_settings import HmmSettings
from handshift.attribution.likelihood import one_writer
from handshift.attribution.variational import Segmentation
from handshift.attribution.word_evidence import PageWords
from handshift.core.arrays import Floats
from handshift.detect.plda import Plda

_FEWEST = 1e-3
"""Words of a sitting nobody belongs to, so that nothing is divided by zero."""


@dataclass(frozen=True, slots=True)
class Reading:
    """An explanation together with who its sittings' people are."""

    share: Floats
    """(words, people) probability that a word is by a person."""
    evidence: float
    blocks: bool
    sittings: int

    def rated(self, settings: HmmSettings) -> float:
        """ln evidence · prior: of people who sat down again, and of words here and there."""
        again = (self.sittings - self.people) * log(settings.again)
        return self.evidence + again + (0.0 if self.blocks else log(settings.strewn))

    @property
    def people(self) -> int:
        """How many there are."""
        return int(self.share.shape[1])


def readings(explanation: Segmentation, words: PageWords, model: Plda) -> Iterator[Reading]:
    """Every way to ascribe the sittings to people, from one person for all to one for each.

    Sittings of one writer share the writer's mean and differ by the session's variance; the evidence of an
    explanation, which takes all sittings for different people's, changes by the ratio of the two.
    """
    share = explanation.share
    counts = np.maximum(share.T @ words.count, _FEWEST)[:, None]
    means = share.T @ words.pull / counts
    noise = model.session + 1 / counts
    names, groups, used = _partitions(explanation.sittings)
    value = one_writer(means, noise, groups, model.writer)
    alone = one_writer(means, noise, np.eye(explanation.sittings, dtype=bool), model.writer).sum()
    for labels, members in zip(names, used, strict=True):
        gain = value[members].sum() - alone
        people = share @ np.eye(max(labels) + 1)[list(labels)]
        evidence = explanation.evidence + float(gain)
        yield Reading(people, evidence, explanation.blocks, explanation.sittings)


@cache
def _partitions(size: int) -> tuple[list[tuple[int, ...]], NDArray[np.bool_], list[list[int]]]:
    """Partitions of `size` sittings as labels, the groups in them (groups, sittings), which has which."""
    found: list[tuple[int, ...]] = [(0,)]
    for _ in range(size - 1):
        found = [(*labels, new) for labels in found for new in range(max(labels) + 2)]
    groups: dict[tuple[bool, ...], int] = {}
    used = []
    for labels in found:
        members = [tuple(label == name for label in labels) for name in range(max(labels) + 1)]
        used.append([groups.setdefault(group, len(groups)) for group in members])
    return found, np.array(list(groups)), used
