"""Networks of `transformers` by short names: where their weights are published and how they are built."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

WORKING_SIZE = 224
"""Side of the square picture that vision transformers are given."""
TOKENS = frozenset({"vit", "deit", "dinov2", "dinov2_with_registers"})
"""Kinds of model whose first token stands for the picture."""
MAPS = frozenset({"resnet", "efficientnet", "convnext", "convnextv2", "regnet"})
"""Kinds of model whose last map is averaged."""


@dataclass(frozen=True)
class Known:
    """A published model, and the configuration that builds it anew."""

    hub: str
    kind: str
    """`model_type` in the words of transformers."""
    config: dict[str, Any] = field(default_factory=dict)
    """What differs from the kind's default configuration."""


CATALOGUE = {
    "resnet18": Known(
        "microsoft/resnet-18",
        "resnet",
        {"depths": [2, 2, 2, 2], "hidden_sizes": [64, 128, 256, 512], "layer_type": "basic"},
    ),
    "resnet50": Known("microsoft/resnet-50", "resnet"),
    "efficientnet-b0": Known(
        "google/efficientnet-b0",
        "efficientnet",
        {"width_coefficient": 1.0, "depth_coefficient": 1.0, "image_size": 224, "hidden_dim": 1280},
    ),
    "convnext-tiny": Known("facebook/convnext-tiny-224", "convnext"),
    "vit-b16": Known("google/vit-base-patch16-224", "vit"),
    "dinov2-small": Known(
        "facebook/dinov2-small",
        "dinov2",
        {"hidden_size": 384, "num_attention_heads": 6, "patch_size": 14, "image_size": 518},
    ),
    "dinov2-base": Known("facebook/dinov2-base", "dinov2", {"patch_size": 14, "image_size": 518}),
}
