"""anomalib's Dinomaly or PatchCore on stored pictures, in anomalib's own environment; called by maps_peer.py.

    ENVIRONMENT/bin/python benchmarks/peer_anomalib.py FOLDER OUT.json --model dinomaly --per-step

FOLDER holds train.npy and test.npy, (N, 3, H, W) before normalisation, and encoder.npz, a DINOv2 ViT-S/14
under its published names. Nothing is fetched: the encoder is built without weights and filled by name. The
model, its loss, optimizer, schedule and score are anomalib's; Lightning's trainer runs it as its engine does.
"""

from __future__ import annotations

import argparse
import importlib
import json
import resource
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

ENCODER = "vit_small_patch14_dinov2"
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
BATCH, AT_ONCE = 16, 8
PATCHCORE_LAYERS = ("blocks.5", "blocks.9")
"""Last blocks of the two groups that both Dinomalys fuse."""


def measure() -> None:
    """Train, score, and write scores, seconds and memory."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("out", type=Path)
    options.add_argument("--model", choices=("dinomaly", "patchcore"), required=True)
    options.add_argument("--steps", type=int, default=1000)
    options.add_argument("--depth", type=int, default=8)
    options.add_argument("--per-step", action="store_true", help="step the schedule each iteration")
    options.add_argument("--coreset", type=int, default=1000)
    options.add_argument("--seed", type=int, default=42)
    given = options.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(given.seed)
    _build_without_weights()
    train, test = (_normalised(given.folder / f"{part}.npy") for part in ("train", "test"))
    weights = dict(np.load(given.folder / "encoder.npz"))
    started = time.perf_counter(), time.process_time()
    fitted = (
        _dinomaly(train, weights, given) if given.model == "dinomaly" else _patchcore(train, weights, given)
    )
    trained = time.perf_counter() - started[0], time.process_time() - started[1]
    fitted.eval()
    began = time.perf_counter(), time.process_time()
    with torch.no_grad():
        scores = [float(fitted(picture[None]).pred_score) for picture in test]
    took = time.perf_counter() - began[0], time.process_time() - began[1]
    record = {
        "scores": scores,
        "seconds_to_train": {"clock": trained[0], "processor": trained[1]},
        "seconds_a_map": {"clock": took[0] / len(test), "processor": took[1] / len(test)},
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "first_features": _first_features(fitted, test).tolist(),
        "anomalib": importlib.import_module("anomalib").__version__,
    }
    given.out.write_text(json.dumps(record), encoding="utf-8")


def _build_without_weights() -> None:
    """Let timm build encoders without fetching weights, which are filled in afterwards."""
    timm: Any = importlib.import_module("timm")
    original = timm.create_model

    def create(name: str, pretrained: bool = False, **options: Any) -> Any:
        del pretrained
        return original(name, pretrained=False, **options)

    timm.create_model = create


def _normalised(path: Path) -> torch.Tensor:
    pictures = torch.from_numpy(np.load(path))
    return (pictures - torch.tensor(MEAN).view(1, 3, 1, 1)) / torch.tensor(STD).view(1, 3, 1, 1)


def _filled(encoder: Any, weights: dict[str, Any]) -> None:
    """Fill a timm ViT from weights under the names of `transformers`; every parameter must be found."""
    named = {
        "cls_token": weights["embeddings.cls_token"],
        "pos_embed": weights["embeddings.position_embeddings"],
        "patch_embed.proj.weight": weights["embeddings.patch_embeddings.projection.weight"],
        "patch_embed.proj.bias": weights["embeddings.patch_embeddings.projection.bias"],
    }
    for end in ("weight", "bias"):
        named[f"norm.{end}"] = weights[f"layernorm.{end}"]
        for block in range(12):
            here, there = f"blocks.{block}", f"encoder.layer.{block}"
            parts = [
                weights[f"{there}.attention.attention.{part}.{end}"] for part in ("query", "key", "value")
            ]
            named[f"{here}.attn.qkv.{end}"] = np.concatenate(parts)
            named[f"{here}.attn.proj.{end}"] = weights[f"{there}.attention.output.dense.{end}"]
            for layer in ("norm1", "norm2", "mlp.fc1", "mlp.fc2"):
                named[f"{here}.{layer}.{end}"] = weights[f"{there}.{layer}.{end}"]
            for scale in (1, 2):
                named[f"{here}.ls{scale}.gamma"] = weights[f"{there}.layer_scale{scale}.lambda1"]
    encoder.load_state_dict({name: torch.from_numpy(np.float32(values)) for name, values in named.items()})


def _dinomaly(train: torch.Tensor, weights: dict[str, Any], given: argparse.Namespace) -> Any:
    module: Any = importlib.import_module("anomalib.models.image.dinomaly.lightning_model")
    lightning: Any = importlib.import_module("lightning.pytorch")
    parts = {"pre_processor": False, "post_processor": False, "evaluator": False, "visualizer": False}
    model = module.Dinomaly(encoder_name=ENCODER, decoder_depth=given.depth, **parts)
    half = given.depth // 2
    model.model.fuse_layer_decoder = [list(range(half)), list(range(half, given.depth))]
    _filled(model.model.encoder.feature_extractor, weights)
    model.log = lambda *_, **__: None  # Lightning would look for the size of the batch
    if given.per_step:
        original = model.configure_optimizers

        def stepped() -> Any:
            [optimizer], [schedule] = original()
            return [optimizer], [{"scheduler": schedule, "interval": "step"}]

        model.configure_optimizers = stepped
    trainer = lightning.Trainer(
        max_steps=given.steps,
        max_epochs=-1,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=given.folder,
        **model.trainer_arguments,
    )
    rows: Any = train  # rows of a tensor are a data set to torch
    loader: Any = torch.utils.data.DataLoader(rows, BATCH, shuffle=True, drop_last=True, collate_fn=_batch)
    trainer.fit(model, loader)
    return model.model


def _batch(rows: list[torch.Tensor]) -> SimpleNamespace:
    return SimpleNamespace(image=torch.stack(rows))


def _patchcore(train: torch.Tensor, weights: dict[str, Any], given: argparse.Namespace) -> Any:
    module: Any = importlib.import_module("anomalib.models.image.patchcore.torch_model")
    model = module.PatchcoreModel(layers=list(PATCHCORE_LAYERS), backbone=ENCODER, pre_trained=False)
    _filled(model.feature_extractor.feature_extractor, weights)
    model.train()
    for at in range(0, len(train), AT_ONCE):
        model(train[at : at + AT_ONCE])
    patches = sum(len(part) for part in model.embedding_store)
    model.subsample_embedding((given.coreset + 0.5) / patches)
    return model


@torch.no_grad()
def _first_features(model: Any, pictures: torch.Tensor) -> Any:
    """Features of block 5 of the first picture's patches, to compare with ours."""
    extractor = getattr(model, "encoder", None) or model.feature_extractor
    vit = extractor.feature_extractor
    tokens = vit.forward_intermediates(
        pictures[:1], indices=[5], norm=False, output_fmt="NLC", intermediates_only=True
    )
    return tokens[0][0, :4, :8].numpy().astype(np.float64)


if __name__ == "__main__":
    measure()
