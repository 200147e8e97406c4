"""Which pairs of a batch may be drawn together and which apart."""

from __future__ import annotations

import torch
from torch import Tensor

from handshift.error import HandshiftError


def candidates(labels: Tensor, groups: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """(batch,), (batch,) → positive and negative, each (batch, batch) of bool.

    With ``groups`` (the writing session, say) positives come only from different groups, so that what a
    group has in common, pen, paper and scanner, cannot stand for the class. Negatives come from anywhere.
    """
    if labels.numel() == 0:
        raise HandshiftError("A loss needs at least one sample, and the batch is empty.")
    alike = labels[:, None] == labels
    positive = alike & ~torch.eye(len(labels), dtype=torch.bool, device=labels.device)
    if groups is not None:
        positive &= groups[:, None] != groups
    return positive, ~alike
