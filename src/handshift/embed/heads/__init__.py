"""How class centres are kept and compared with features: one file each."""

from handshift.embed.heads.head import Head
from handshift.embed.heads.partial_fc import PartialFC
from handshift.embed.heads.plain import Plain
from handshift.embed.heads.ranks import keep_shards_apart
from handshift.embed.heads.registry import HEADS, TERMS, make_head, make_term
from handshift.embed.heads.sub_center import SubCenter

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
