"""Export of word-embedding networks to ONNX."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

from handshift.core.onnx_export import export_onnx
from handshift.embedding.crops.scaling import KEY, Scaling
from handshift.embedding.crops.word_crop import CANVASES, HEIGHT, WIDTH

_TOLERANCE = 1e-4
"""Largest difference of a unit vector's component between torch and the exported file."""


def export_embedder(network: nn.Module, path: Path, scaling: Scaling = Scaling.SHEET) -> float:
    """Write ``network`` to ``path`` with free numbers of words and columns.

    The file is verified at every canvas width and with other numbers of words than it was traced with.

    Args:
        network: (words, 1, height, columns) → (words, dimensions).
        path: The ``.onnx`` file to write.
        scaling: What the scale of the crops it was trained with was taken from; stored in the file.

    Returns:
        The largest difference between the file's vectors and the network's on random pictures.

    Raises:
        ExportError: That difference exceeds 1e-4.
    """
    return export_onnx(
        network,
        path,
        (torch.rand(3, 1, HEIGHT, WIDTH),),
        [(_pictures(count, width),) for count, width in enumerate(CANVASES, 1)],
        inputs=["pictures"],
        outputs=["vectors"],
        dynamic_axes={"pictures": {0: "words", 3: "columns"}, "vectors": {0: "words"}},
        tolerance=_TOLERANCE,
        metadata={KEY: scaling.value},
    )


def _pictures(count: int, width: int) -> Tensor:
    return torch.rand(count, 1, HEIGHT, width, generator=torch.Generator().manual_seed(count))
