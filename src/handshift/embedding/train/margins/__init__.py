"""How the target class is made harder to reach: one file each."""

from handshift.embedding.train.margins.margin import Margin
from handshift.embedding.train.margins.registry import MARGINS, default_scale, make_margin

__all__ = ["MARGINS", "Margin", "default_scale", "make_margin"]
