"""How the target class is made harder to reach: one file each."""

from handshift.embed.margins.margin import Margin
from handshift.embed.margins.registry import MARGINS, make_margin
from handshift.embed.margins.scale import default_scale

__all__ = ["MARGINS", "Margin", "default_scale", "make_margin"]
