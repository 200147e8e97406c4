"""Losses on pairs and tuples of features, without class centres: contrastive, triplet, tuplet.

>>> import torch
>>> from handshift.embedding.train.pair_losses import Triplet
>>> loss = Triplet(margin=0.2, miner="semi-hard").loss(torch.randn(6, 16), torch.tensor([0, 0, 1, 1, 2, 2]))
>>> bool(loss >= 0)
True
"""

from handshift.embedding.train.pair_losses.contrastive import Contrastive
from handshift.embedding.train.pair_losses.pair_loss import MINERS, PairLoss
from handshift.embedding.train.pair_losses.registry import PAIR_LOSSES, make_pair_loss
from handshift.embedding.train.pair_losses.triplet import AngularTriplet, Triplet
from handshift.embedding.train.pair_losses.tuplet import Tuplet

__all__ = [
    "MINERS",
    "PAIR_LOSSES",
    "AngularTriplet",
    "Contrastive",
    "PairLoss",
    "Triplet",
    "Tuplet",
    "make_pair_loss",
]
