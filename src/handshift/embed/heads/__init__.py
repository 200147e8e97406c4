"""How class centres are kept and compared with features: one file each."""

from handshift.embed.heads.head import Head
from handshift.embed.heads.plain import Plain
from handshift.embed.heads.registry import HEADS, make_head

__all__ = ["HEADS", "Head", "Plain", "make_head"]
