"""Hands grouped by writer: the most probable partition, and the posterior of the number of writers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.gibbs_sampler import GibbsSampler
from handshift.attribution.group_evidence import GroupEvidence
from handshift.attribution.partition_prior import PartitionPrior
from handshift.attribution.set_partitions import set_partitions
from handshift.core.arrays import Floats

Labels = NDArray[np.int64]
EXACT = 8
"""Hands up to which every partition is compared: 4,140 partitions of 255 groups."""


@dataclass(frozen=True, slots=True)
class WriterClusters:
    """A partition of hands, with what is known about others."""

    labels: Labels
    """(hands,) the writer of each in the most probable partition, numbered from 0 in order of appearance."""
    together: Floats
    """(hands, hands) posterior probability that one person wrote both."""
    number: Floats
    """(hands,) posterior of 1 … n writers."""


def cluster_writers(evidence: GroupEvidence, prior: PartitionPrior) -> WriterClusters:
    """Group hands by writer: P(partition | hands) ∝ P(partition) · Π exp E(group).

    Up to eight hands every partition is compared. Beyond, agglomerative clustering under the same posterior
    starts a Gibbs sampler; the most probable partition it visits, after a last ascent, is returned.

    Args:
        evidence: of the hands.
        prior: over partitions.
    """
    if len(evidence) <= EXACT:
        return _compare_all(evidence, prior)
    sampler = GibbsSampler(evidence, prior)
    sampler.agglomerate()
    return WriterClusters(*sampler.run())


def most_probable_writers(evidence: GroupEvidence, prior: PartitionPrior) -> Labels:
    """Agglomerative clustering under the same posterior alone, for hundreds of entries.

    Returns:
        (hands,) the writer of each, numbered from 0 in order of appearance.
    """
    sampler = GibbsSampler(evidence, prior)
    sampler.agglomerate()
    return sampler.labels


def _compare_all(evidence: GroupEvidence, prior: PartitionPrior) -> WriterClusters:
    partitions, groups, used = set_partitions(len(evidence))
    value = evidence.of(groups)
    sizes = groups.sum(axis=1)
    weight = np.array([value[own].sum() + prior.log([int(size) for size in sizes[own]]) for own in used])
    chance = np.exp(weight - weight.max())
    chance /= chance.sum()
    labels = np.array(partitions, np.int64)  # (partitions, hands)
    same = labels[:, :, None] == labels[:, None, :]
    number = np.asarray(np.bincount(labels.max(axis=1), chance, len(evidence)), np.float64)
    return WriterClusters(labels[int(weight.argmax())], np.einsum("p,pij->ij", chance, same), number)
