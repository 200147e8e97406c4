"""Reconstruction losses of Dinomaly, one in each module."""

from handshift.healthmap.dinomaly.losses.focal import FocalLoss
from handshift.healthmap.dinomaly.losses.gem import GemLoss, generalised_mean
from handshift.healthmap.dinomaly.losses.hard_mining import HardMinedLoss
from handshift.healthmap.dinomaly.losses.reconstruction_loss import MeanLoss, ReconstructionLoss
from handshift.healthmap.dinomaly.losses.scale_weighted import FixedScaleLoss, LearnedScaleLoss
from handshift.healthmap.dinomaly.losses.top_q import TopQLoss

LOSSES: dict[str, type[ReconstructionLoss]] = {
    "mean": MeanLoss,
    "hard-mined": HardMinedLoss,
    "gem": GemLoss,
    "top-q": TopQLoss,
    "focal": FocalLoss,
    "scale-fixed": FixedScaleLoss,
    "scale-learned": LearnedScaleLoss,
}

__all__ = [
    "LOSSES",
    "FixedScaleLoss",
    "FocalLoss",
    "GemLoss",
    "HardMinedLoss",
    "LearnedScaleLoss",
    "MeanLoss",
    "ReconstructionLoss",
    "TopQLoss",
    "generalised_mean",
]
