"""How class centres are kept and compared with features: one file each."""

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
