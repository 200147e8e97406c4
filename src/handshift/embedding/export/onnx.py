"""Exports a torch network to ONNX and verifies the file against it."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from torch import nn

from handshift.core.errors import HandshiftError
from handshift.embedding.crops.word_crop import CANVASES, HEIGHT, WIDTH

_TOLERANCE = 1e-4
"""Largest difference of a unit vector's component between torch and the exported file."""


class ExportError(HandshiftError):
    """An exported file does not reproduce the network's vectors; it is not written."""


def export_onnx(network: nn.Module, path: Path) -> float:
    """Export `network` to `path`, with free numbers of words and columns.

    The file is verified at every canvas width and at other batch sizes than the one it was traced with.

    Args:
        network: Takes (words, 1, 64, columns); moved to the CPU and put into evaluation mode.
        path: The ONNX file.

    Returns:
        The largest difference between torch and the file on random pictures.

    Raises:
        ExportError: The difference is too large.
    """
    network = network.cpu().eval()
    partial = path.with_name(path.name + ".partial")
    with warnings.catch_warnings():
        # Both of torch's exporters warn about internals; the verification below decides.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network,
            (torch.rand(3, 1, HEIGHT, WIDTH),),
            partial,
            input_names=["pictures"],
            output_names=["vectors"],
            dynamic_axes={"pictures": {0: "words", 3: "columns"}, "vectors": {0: "words"}},
            dynamo=False,
        )
    onnx.checker.check_model(str(partial))
    difference = max(_difference(network, partial, count, width) for count, width in enumerate(CANVASES, 1))
    if difference > _TOLERANCE:
        partial.unlink()
        raise ExportError(f"{path}: exported vectors differ by {difference:.1e}, more than {_TOLERANCE:.0e}")
    partial.replace(path)
    return difference


@torch.no_grad()
def _difference(network: nn.Module, path: Path, count: int, width: int) -> float:
    generator = torch.Generator().manual_seed(count)
    pictures = torch.rand(count, 1, HEIGHT, width, generator=generator)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    (given,) = session.run(None, {"pictures": pictures.numpy()})
    return float(np.abs(given - network(pictures).numpy()).max())
