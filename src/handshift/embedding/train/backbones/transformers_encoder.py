"""Encoders of `transformers` with their weights: by short name, hub name or local folder."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn

from handshift.core.errors import HandshiftError

WORKING_SIZE = 224
"""Side of the square input of vision transformers."""
TOKENS = frozenset({"vit", "deit", "dinov2", "dinov2_with_registers"})
"""Model types whose first token represents the picture."""
MAPS = frozenset({"resnet", "efficientnet", "convnext", "convnextv2", "regnet"})
"""Model types whose last feature map is averaged."""


@dataclass(frozen=True)
class PublishedModel:
    """A published model, and the configuration that builds it with random weights."""

    hub: str
    kind: str
    """`model_type` of transformers."""
    config: dict[str, Any] = field(default_factory=dict)
    """Differences from the model type's default configuration."""


PUBLISHED = {
    "resnet18": PublishedModel(
        "microsoft/resnet-18",
        "resnet",
        {"depths": [2, 2, 2, 2], "hidden_sizes": [64, 128, 256, 512], "layer_type": "basic"},
    ),
    "resnet50": PublishedModel("microsoft/resnet-50", "resnet"),
    "efficientnet-b0": PublishedModel(
        "google/efficientnet-b0",
        "efficientnet",
        {"width_coefficient": 1.0, "depth_coefficient": 1.0, "image_size": 224, "hidden_dim": 1280},
    ),
    "convnext-tiny": PublishedModel("facebook/convnext-tiny-224", "convnext"),
    "vit-b16": PublishedModel("google/vit-base-patch16-224", "vit"),
    "dinov2-small": PublishedModel(
        "facebook/dinov2-small",
        "dinov2",
        {"hidden_size": 384, "num_attention_heads": 6, "patch_size": 14, "image_size": 518},
    ),
    "dinov2-base": PublishedModel("facebook/dinov2-base", "dinov2", {"patch_size": 14, "image_size": 518}),
}


class BackboneError(HandshiftError):
    """A network cannot be built or its weights cannot be found."""


def load_encoder(name: str) -> nn.Module:
    """Load published or local weights from safetensors; pickles are never opened.

    Args:
        name: A key of `PUBLISHED`, a hub name or a folder written by `save_pretrained`.

    Returns:
        The encoder in float32.

    Raises:
        BackboneError: The weights are not there, or the model type is not supported.
    """
    place = PUBLISHED[name].hub if name in PUBLISHED else name
    local = Path(place).is_dir()
    if local and not (Path(place) / "config.json").is_file():
        raise BackboneError(f"{place}: no config.json; give a folder saved by `save_pretrained`")
    from transformers import AutoConfig
    from transformers.utils import logging as transformers_logging

    # Its progress bar would interleave with the training's.
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        config = AutoConfig.from_pretrained(place, local_files_only=local)
        # AutoModel and AutoBackbone ask the hub even for a folder, so the class is resolved here.
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
    """Build an architecture with random weights.

    Args:
        name: A key of `PUBLISHED` or a folder with config.json.

    Returns:
        The encoder.

    Raises:
        BackboneError: The name is neither, or the model type is not supported.
    """
    from transformers import CONFIG_MAPPING, AutoConfig

    if name in PUBLISHED:
        known = PUBLISHED[name]
        config = CONFIG_MAPPING[known.kind](**known.config)
    elif (Path(name) / "config.json").is_file():
        config = AutoConfig.from_pretrained(name, local_files_only=True)
    else:
        raise BackboneError(
            f"backbone {name!r} cannot be built from scratch: give a folder with config.json or one of "
            f"{', '.join(PUBLISHED)}"
        )
    return _class_of(config, name)(config, **_without_pooler(config))


def _class_of(config: Any, place: str) -> Any:
    if config.model_type not in TOKENS | MAPS:
        known = ", ".join(sorted(TOKENS | MAPS))
        raise BackboneError(f"{place}: a model of type {config.model_type!r}; supported are {known}")
    from transformers import MODEL_MAPPING

    return MODEL_MAPPING[type(config)]


def _without_pooler(config: Any) -> dict[str, bool]:
    # Most checkpoints have no trained pooler for ViT: it would have random weights.
    return {"add_pooling_layer": False} if config.model_type in {"vit", "deit"} else {}


def _advice(name: str, place: str) -> str:
    if Path(place).is_dir():
        return (
            f"{place}: model.safetensors is missing or does not fit config.json; save the model there again"
        )
    return (
        f"encoder {name!r}: the weights of {place} are not on this machine and cannot be downloaded. On a "
        f"machine with access, run `hf download {place} --local-dir FOLDER`; copy the folder (config.json, "
        "model.safetensors) here and give it in place of the name. `handshift train` can also begin from "
        "random weights, with --from-scratch"
    )
