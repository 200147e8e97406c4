"""Networks that turn a picture into a vector: small ones of our own, large ones through `transformers`."""

from __future__ import annotations

from collections.abc import Sequence

from handshift.core.errors import HandshiftError
from handshift.embedding.train.backbones.network import Network

SMALL_RESNET, SMALL_CONVNEXT = "small-resnet", "small-convnext"
_STAGES = {SMALL_RESNET: (3, 4), SMALL_CONVNEXT: (2, 3)}
"""How many widths: two stages are pooled, and canvases are multiples of 16."""


def make_backbone(
    name: str,
    dimensions: int = 128,
    *,
    widths: Sequence[int] | None = None,
    hidden: int | None = None,
    dropout: float | None = None,
    size: int | None = None,
    from_scratch: bool = False,
    frozen: bool = False,
) -> Network:
    """A network by name; `widths` is for the small ones; `hidden` and from `size` on for the others."""
    if widths and name in _STAGES and len(widths) not in _STAGES[name]:
        counts = " or ".join(map(str, _STAGES[name]))
        raise HandshiftError(f"--widths: {name} takes {counts} numbers, and {len(widths)} were given")
    if name == SMALL_RESNET:
        from handshift.embedding.train.backbones.small_resnet import WordNet

        return WordNet(widths or (24, 48, 96, 192), dimensions, 0.1 if dropout is None else dropout)
    if name == SMALL_CONVNEXT:
        from handshift.embedding.train.backbones.small_convnext import SmallConvNeXt

        return SmallConvNeXt(widths or (48, 96, 192), dimensions, 0.1 if dropout is None else dropout)
    from handshift.embedding.train.backbones.pretrained import Pretrained
    from handshift.embedding.train.backbones.transformers_encoder import fresh_encoder, load_encoder

    encoder = fresh_encoder(name) if from_scratch else load_encoder(name)
    return Pretrained(encoder, dimensions, hidden, 0.2 if dropout is None else dropout, size, frozen)
