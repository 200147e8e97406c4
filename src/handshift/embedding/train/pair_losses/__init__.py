"""Losses on pairs and sets of features, without class centres: one file each."""

from handshift.embedding.train.pair_losses.pair_loss import PairLoss
from handshift.embedding.train.pair_losses.registry import PAIR_LOSSES, make_pair_loss

__all__ = ["PAIR_LOSSES", "PairLoss", "make_pair_loss"]
