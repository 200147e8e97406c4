"""A trained word network becomes an ONNX file that needs no torch, checked against the original."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from torch import nn

from handshift.embed.crop import HEIGHT, WIDTH

_TOLERANCE = 1e-4
"""Largest difference of a unit vector's component between torch and the exported file."""


def export_onnx(network: nn.Module, path: Path) -> float:
    """Write `network` to `path` and return the largest difference between the two on random pictures."""
    network.eval()
    pictures = torch.rand(3, 1, HEIGHT, WIDTH)
    partial = path.with_name(path.name + ".partial")
    with warnings.catch_warnings():
        # Both of torch's exporters warn about their own insides; the check below is what counts.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network,
            (pictures,),
            partial,
            input_names=["pictures"],
            output_names=["vectors"],
            dynamic_axes={"pictures": {0: "words", 3: "columns"}, "vectors": {0: "words"}},
            dynamo=False,
        )
    onnx.checker.check_model(str(partial))
    with torch.no_grad():
        wanted = network(pictures).numpy()
    session = onnxruntime.InferenceSession(str(partial), providers=["CPUExecutionProvider"])
    (given,) = session.run(None, {"pictures": pictures.numpy()})
    difference = float(np.abs(given - wanted).max())
    if difference > _TOLERANCE:
        partial.unlink()
        raise RuntimeError(f"{path}: exported vectors differ by {difference:.1e}, more than {_TOLERANCE:.0e}")
    partial.replace(path)
    return difference
