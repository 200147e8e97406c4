"""Heads hold the class centres and compute the margin loss: plain, sub-center, Partial FC.

>>> import torch
>>> from handshift.embedding.train.heads import SubCenter
>>> from handshift.embedding.train.margins import Intra, arcface
>>> head = SubCenter(10, 16, arcface(scale=30.0), terms=[Intra()], centres=3)
>>> head.loss(torch.randn(4, 16), torch.tensor([0, 3, 3, 9])).backward()
>>> head.directions().shape
torch.Size([10, 3, 16])
"""

from handshift.embedding.train.heads.distributed_ops import keep_shards_apart
from handshift.embedding.train.heads.head import Head
from handshift.embedding.train.heads.partial_fc import PartialFC
from handshift.embedding.train.heads.plain_head import Plain
from handshift.embedding.train.heads.registry import HEADS, TERMS, make_head, make_term
from handshift.embedding.train.heads.sub_center import SubCenter

__all__ = [
    "HEADS",
    "TERMS",
    "Head",
    "PartialFC",
    "Plain",
    "SubCenter",
    "keep_shards_apart",
    "make_head",
    "make_term",
]
