"""A softmax for each database: a writer competes with those of the same database alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from handshift.embedding.train.heads.head import Scores
from handshift.embedding.train.heads.sub_center import SubCenter
from handshift.embedding.train.margins.margin import Margin
from handshift.embedding.train.margins.terms import Term

_NEVER = -1e3
"""Stands for a cosine; e to the power of it times any scale is 0."""


class Within(SubCenter):
    """cos θ_ij as `SubCenter`, over the classes j of the sample's own database.

    Writers of two databases differ in scanner, paper and preparation: a softmax over all of them rewards a
    vector for these.
    """

    database: Tensor

    def __init__(
        self,
        database: Sequence[int],
        dimensions: int,
        margin: Margin,
        terms: Sequence[Term] = (),
        centres: int = 1,
    ) -> None:
        """`database` (classes,) numbers the database of each class."""
        super().__init__(len(database), dimensions, margin, terms, centres)
        self.register_buffer("database", torch.tensor(list(database)), persistent=False)

    def scores(self, features: Tensor, labels: Tensor) -> Scores:
        """Every class, in order; those of other databases as unlike as can be."""
        scores = super().scores(features, labels)
        elsewhere = self.database[None, :] != self.database[labels][:, None]  # (batch, classes)
        return replace(scores, others=scores.others.masked_fill(elsewhere, _NEVER))
