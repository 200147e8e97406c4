"""Networks of `transformers` by short names: where their weights are published and how they are built.

A network of `transformers` with its weights: by short name, hub name or local folder.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn

from handshift.core.errors import HandshiftError

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


class BackboneError(HandshiftError):
    """A network cannot be built or its weights are not to be had."""


def load_encoder(name: str) -> nn.Module:
    """The published or local weights. Nothing but safetensors is opened: a pickle could run code."""
    place = CATALOGUE[name].hub if name in CATALOGUE else name
    local = Path(place).is_dir()
    if local and not (Path(place) / "config.json").is_file():
        raise BackboneError(f"{place}: no config.json; a folder saved by `save_pretrained` is wanted")
    from transformers import AutoConfig
    from transformers.utils import logging as told

    told.disable_progress_bar()  # type: ignore[no-untyped-call]  # it would stand in the midst of our own
    try:
        config = AutoConfig.from_pretrained(place, local_files_only=local)
        # AutoModel and AutoBackbone would ask the hub even for a folder, so the class is found here.
        model = _class_of(config, place).from_pretrained(
            place,
            config=config,
            dtype=torch.float32,
            use_safetensors=True,
            local_files_only=local,
            **_without_pooler(config),
        )
    except (OSError, ValueError) as error:
        raise BackboneError(_advice(name, place)) from error
    return model


def fresh_encoder(name: str) -> nn.Module:
    """The same architecture with random weights, from a short name or a folder's config.json."""
    from transformers import CONFIG_MAPPING, AutoConfig

    if name in CATALOGUE:
        known = CATALOGUE[name]
        config = CONFIG_MAPPING[known.kind](**known.config)
    elif (Path(name) / "config.json").is_file():
        config = AutoConfig.from_pretrained(name, local_files_only=True)
    else:
        raise BackboneError(
            f"backbone {name!r} cannot be built from scratch: give a folder with config.json or one of "
            f"{', '.join(CATALOGUE)}"
        )
    return _class_of(config, name)(config, **_without_pooler(config))


def _class_of(config: Any, place: str) -> Any:
    if config.model_type not in TOKENS | MAPS:
        known = ", ".join(sorted(TOKENS | MAPS))
        raise BackboneError(f"{place}: a model of kind {config.model_type!r}; known are {known}")
    from transformers import MODEL_MAPPING

    return MODEL_MAPPING[type(config)]


def _without_pooler(config: Any) -> dict[str, bool]:
    # ViT's pooler is not trained by most checkpoints and would come with random weights.
    return {"add_pooling_layer": False} if config.model_type in {"vit", "deit"} else {}


def _advice(name: str, place: str) -> str:
    if Path(place).is_dir():
        return (
            f"{place}: model.safetensors is missing or does not fit config.json; save the model there again"
        )
    return (
        f"backbone {name!r}: the weights of {place} are not on this machine and cannot be fetched. Where the "
        f"network is to be had, run `hf download {place} --local-dir FOLDER`; bring the folder (config.json, "
        "model.safetensors) here and give --backbone FOLDER, or train from random weights with --from-scratch"
    )
