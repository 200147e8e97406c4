"""A network on maps becomes an ONNX file that needs no torch, checked against the original."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from torch import Tensor, nn

from handshift.core.errors import HandshiftError

_TOLERANCE = 1e-3
"""Largest difference, as a share of the largest output, between torch and the exported file."""


class ExportError(HandshiftError):
    """A file would not give what the network gives; it is not written."""


def export_onnx(network: nn.Module, example: Tensor, path: Path, given: str, output: str) -> float:
    """Write ``network`` with a free batch size; return the largest relative difference between the two."""
    network = network.cpu().eval()
    partial = path.with_name(path.name + ".partial")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter speaks of its insides; the check below is what counts
        torch.onnx.export(
            network,
            (example[:2],),
            partial,
            input_names=[given],
            output_names=[output],
            dynamic_axes={given: {0: "maps"}, output: {0: "maps"}},
            opset_version=17,
            dynamo=False,
        )
    difference = _difference(network, example[:3], partial)
    if not difference <= _TOLERANCE:
        partial.unlink()
        raise ExportError(f"{path}: the exported file differs by {difference:.1e}, over {_TOLERANCE:.0e}")
    partial.replace(path)
    return difference


@torch.no_grad()
def _difference(network: nn.Module, example: Tensor, path: Path) -> float:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    (given,) = session.run(None, {session.get_inputs()[0].name: example.numpy()})
    wanted = network(example).numpy()
    return float(np.abs(given - wanted).max() / max(np.abs(wanted).max(), 1e-9))
