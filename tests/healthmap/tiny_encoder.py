"""An encoder small enough for tests, with random weights, in a folder as `transformers` saves it."""

from __future__ import annotations

import json
from pathlib import Path

import torch


def write_encoder(folder: Path, seed: int = 0, depth: int = 4) -> Path:
    from transformers import Dinov2Config, Dinov2Model

    torch.manual_seed(seed)
    config = Dinov2Config(
        hidden_size=16, num_hidden_layers=depth, num_attention_heads=2, image_size=32, patch_size=4,
        num_channels=1, mlp_ratio=2, layerscale_value=1.0, initializer_range=0.3,
    )  # fmt: skip
    Dinov2Model(config).save_pretrained(folder)
    (folder / "preprocessor_config.json").write_text(json.dumps({"image_mean": [0.2], "image_std": [0.1]}))
    return folder
