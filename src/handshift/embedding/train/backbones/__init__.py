"""Backbones: word picture → vector. A small ResNet and ConvNeXt, and encoders of `transformers`.

>>> import torch
>>> from handshift.embedding.train.backbones import make_backbone
>>> network = make_backbone("small-resnet", dimensions=32, widths=(8, 16, 16)).eval()
>>> network(torch.rand(2, 1, 64, 96)).shape  # unit rows; network.features(…) is what losses take
torch.Size([2, 32])
"""

from __future__ import annotations

from collections.abc import Sequence

from handshift.core.errors import HandshiftError
from handshift.embedding.train.backbones.network import Network

__all__ = ["SMALL_CONVNEXT", "SMALL_RESNET", "Network", "check_widths", "make_backbone"]

SMALL_RESNET, SMALL_CONVNEXT = "small-resnet", "small-convnext"
_STAGES = {SMALL_RESNET: (3, 4), SMALL_CONVNEXT: (2, 3)}
"""Allowed numbers of widths: two stages are pooled, and canvas sides are multiples of 16."""


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
    """Build a network by name.

    Args:
        name: small-resnet, small-convnext, a key of `transformers_encoder.PUBLISHED`, a hub name, a folder.
        dimensions: Length of the vector.
        widths: Channels of each stage of a small network.
        hidden: Hidden units of the projection on a `transformers` encoder; a single linear layer if None.
        dropout: Before the projection; 0.1 for small networks and 0.2 for others if None.
        size: Side of the square picture that an encoder is given.
        from_scratch: Start an encoder with random weights.
        frozen: Train the projection alone.

    Returns:
        The network.

    Raises:
        HandshiftError: The number of widths does not suit the network.
        BackboneError: The encoder's weights cannot be found or built.
    """
    check_widths(name, widths)
    if name == SMALL_RESNET:
        from handshift.embedding.train.backbones.small_resnet import SmallResNet

        return SmallResNet(widths or (24, 48, 96, 192), dimensions, 0.1 if dropout is None else dropout)
    if name == SMALL_CONVNEXT:
        from handshift.embedding.train.backbones.small_convnext import SmallConvNeXt

        return SmallConvNeXt(widths or (48, 96, 192), dimensions, 0.1 if dropout is None else dropout)
    from handshift.embedding.train.backbones.pretrained import Pretrained
    from handshift.embedding.train.backbones.transformers_encoder import fresh_encoder, load_encoder

    encoder = fresh_encoder(name) if from_scratch else load_encoder(name)
    return Pretrained(encoder, dimensions, hidden, 0.2 if dropout is None else dropout, size, frozen)


def check_widths(name: str, widths: Sequence[int] | None) -> None:
    """Refuse a number of stages that the small network `name` cannot have.

    Raises:
        HandshiftError: Too few or too many widths.
    """
    if widths and name in _STAGES and len(widths) not in _STAGES[name]:
        counts = " or ".join(map(str, _STAGES[name]))
        raise HandshiftError(f"--widths: {name} takes {counts} numbers, and {len(widths)} were given")
