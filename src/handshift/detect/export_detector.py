"""A trained detector becomes an ONNX file that needs no torch, checked against the original."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch

from handshift.core.errors import HandshiftError
from handshift.detect.mil import MODELS, MilModel
from handshift.detect.mil.model import Output

_TOLERANCE = 1e-4
_SIZES = ((1, 1), (2, 3), (3, 14), (2, 90))
"""Bags and words of the checks; the file is made with yet another size."""


class ExportError(HandshiftError):
    """A file would not give the scores that the network gives; it is not written."""


def export_detector(model: MilModel, dims: int, path: Path) -> float:
    """Write `model` to `path`; the largest difference of logits and contributions between the two.

    Inputs `words` (bags, words, dims) and `mask` (bags, words), outputs `logit` and `contribution`. The
    model's name, and whether order matters, stand in the file's metadata.
    """
    model = model.cpu().eval()
    partial = path.with_name(path.name + ".partial")
    words, mask = _bags(2, 11, dims)
    names = {0: "bags", 1: "words"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter speaks of its insides; the check below is what counts
        torch.onnx.export(
            model,
            (words, mask),
            partial,
            input_names=["words", "mask"],
            output_names=["logit", "contribution"],
            dynamic_axes={"words": names, "mask": names, "logit": {0: "bags"}, "contribution": names},
            dynamo=False,
        )
    file = onnx.load(str(partial))
    name = next((name for name, kind in MODELS.items() if type(model) is kind), "")
    onnx.helper.set_model_props(file, {"order_aware": str(model.order_aware).lower(), "name": name})
    onnx.save(file, str(partial))
    difference = _largest_difference(model, dims, partial)
    if not difference <= _TOLERANCE:
        partial.unlink()
        raise ExportError(f"{path}: exported scores differ by {difference:.1e}, more than {_TOLERANCE:.0e}")
    partial.replace(path)
    return difference


@torch.no_grad()
def _largest_difference(model: MilModel, dims: int, path: Path) -> float:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    differences = []
    for count, size in _SIZES:
        words, mask = _bags(count, size, dims)
        given = session.run(None, {"words": words.numpy(), "mask": mask.numpy()})
        output: Output = model(words, mask)
        differences += [np.abs(a - b.numpy()).max() for a, b in zip(given, output, strict=True)]
    return float(max(differences))


def _bags(count: int, size: int, dims: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Random bags, the last of them half padding."""
    generator = torch.Generator().manual_seed(size)
    words = torch.nn.functional.normalize(torch.randn(count, size, dims, generator=generator), dim=-1)
    mask = torch.ones(count, size, dtype=torch.bool)
    mask[-1, max(1, size // 2) :] = False
    return words, mask
