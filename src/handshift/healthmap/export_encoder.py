"""Export of networks on health maps (encoder, decoder) to ONNX."""

from __future__ import annotations

from pathlib import Path

from torch import Tensor, nn

from handshift.core.onnx_export import export_onnx

_TOLERANCE = 1e-3
"""Largest difference between torch and the exported file, as a share of the largest output."""


def export_map_network(network: nn.Module, example: Tensor, path: Path, given: str, output: str) -> float:
    """Write ``network`` to ``path`` with a free batch size.

    Args:
        network: One tensor in, one tensor out.
        example: At least three inputs: two for tracing, three for verification.
        path: The ``.onnx`` file to write.
        given: Name of the input.
        output: Name of the output.

    Returns:
        The largest difference between the file's outputs and the network's, relative to the largest output.

    Raises:
        ExportError: That difference exceeds 1e-3.
    """
    return export_onnx(
        network,
        path,
        (example[:2],),
        [(example[:3],)],
        inputs=[given],
        outputs=[output],
        dynamic_axes={given: {0: "maps"}, output: {0: "maps"}},
        tolerance=_TOLERANCE,
        relative=True,
        opset=17,
    )
