"""Changes that leave the hand alone: another pen, another scan, another placing of the word."""

from handshift.embed.augment.augmentation import Augmentation
from handshift.embed.augment.kindred import KINDRED

__all__ = ["KINDRED", "Augmentation"]
