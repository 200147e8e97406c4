"""Export of trained multiple-instance detectors to ONNX."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

from handshift.core.onnx_export import export_onnx
from handshift.detect.mil import MODELS, AbMil, MilModel

_TOLERANCE = 1e-4
_SIZES = ((1, 1), (2, 3), (3, 14), (2, 90))
"""Bags and words of the checks; the file is traced with yet another size."""


def export_detector(model: MilModel, dims: int, path: Path) -> float:
    """Write ``model`` to ``path`` with free numbers of bags and words.

    Inputs are ``words`` (bags, words, dims) and ``mask`` (bags, words), outputs ``logit`` (bags,) and
    ``contribution`` (bags, words). AB-MIL has a third output, ``attention`` (bags, instances): the weights of
    its windows, ten for a bag of the source. The file's metadata holds the model's name and whether order
    matters.

    Args:
        model: The trained detector.
        dims: Dimensions of a word vector.
        path: The ``.onnx`` file to write.

    Returns:
        The largest difference of any output between the file and the model.

    Raises:
        ExportError: That difference exceeds 1e-4.
    """
    name = next((name for name, kind in MODELS.items() if type(model) is kind), "")
    sizes = {0: "bags", 1: "words"}
    axes = {"words": sizes, "mask": sizes, "logit": {0: "bags"}, "contribution": sizes}
    attends = isinstance(model, AbMil)
    return export_onnx(
        _WithAttention(model) if isinstance(model, AbMil) else model,
        path,
        _bags(2, 11, dims),
        [_bags(count, size, dims) for count, size in _SIZES],
        inputs=["words", "mask"],
        outputs=["logit", "contribution", *(["attention"] if attends else [])],
        dynamic_axes=axes | ({"attention": {0: "bags", 1: "instances"}} if attends else {}),
        tolerance=_TOLERANCE,
        metadata={"order_aware": str(model.order_aware).lower(), "name": name},
    )


class _WithAttention(nn.Module):
    """AB-MIL with the attention of its instances as a third output."""

    def __init__(self, model: AbMil) -> None:
        super().__init__()
        self.model = model

    def forward(self, words: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        output, attention = self.model.with_attention(words, mask)
        return output.logit, output.contribution, attention


def _bags(count: int, size: int, dims: int) -> tuple[Tensor, Tensor]:
    """Random bags, the last of them half padding."""
    generator = torch.Generator().manual_seed(size)
    words = torch.nn.functional.normalize(torch.randn(count, size, dims, generator=generator), dim=-1)
    mask = torch.ones(count, size, dtype=torch.bool)
    mask[-1, max(1, size // 2) :] = False
    return words, mask
