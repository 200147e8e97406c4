"""Write torch modules as ONNX files and verify each file against its module before it takes its name."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from torch import Tensor, nn

from handshift.core.errors import HandshiftError
from handshift.core.onnx_session import OnnxSession

DynamicAxes = Mapping[str, Mapping[int, str]]
"""For each input or output the dimensions of free size and their names."""


class ExportError(HandshiftError):
    """The exported file differs from the network it was made from; it is not written."""


def export_onnx(
    module: nn.Module,
    path: Path,
    example: tuple[Tensor, ...],
    checks: Iterable[tuple[Tensor, ...]],
    *,
    inputs: Sequence[str],
    outputs: Sequence[str],
    dynamic_axes: DynamicAxes,
    tolerance: float,
    relative: bool = False,
    metadata: Mapping[str, str] | None = None,
    opset: int | None = None,
) -> float:
    """Export ``module``, compare the file's outputs with the module's, then put it at ``path``.

    Args:
        module: The network; it is moved to the CPU and set to evaluation mode.
        path: Where the file goes; nothing is left there or beside it when verification fails.
        example: Inputs with which the graph is traced.
        checks: Inputs on which file and module are compared; use sizes that differ from ``example``.
        inputs: Names of the inputs.
        outputs: Names of the outputs.
        dynamic_axes: Dimensions of free size.
        tolerance: Largest difference allowed.
        relative: Divide each output's difference by its largest absolute value.
        metadata: Key–value pairs to store in the file.
        opset: ONNX operator set; torch's default when not given.

    Returns:
        The largest difference found.

    Raises:
        ExportError: The difference exceeds ``tolerance`` or is not a number.
    """
    module = module.cpu().eval()
    partial = path.with_name(path.name + ".partial")
    try:
        with warnings.catch_warnings():
            # Both of torch's exporters warn about their own internals; the comparison below is what counts.
            warnings.simplefilter("ignore")
            torch.onnx.export(
                module,
                example,
                partial,
                input_names=list(inputs),
                output_names=list(outputs),
                dynamic_axes={name: dict(axes) for name, axes in dynamic_axes.items()},
                opset_version=opset,
                dynamo=False,
            )
        if metadata:
            file = onnx.load(str(partial))
            onnx.helper.set_model_props(file, dict(metadata))
            onnx.save(file, str(partial))
        onnx.checker.check_model(str(partial))
        difference = _largest_difference(module, partial, checks, relative)
        if not difference <= tolerance:
            raise ExportError(
                f"{path}: outputs of the exported file differ by {difference:.1e} from the network's, "
                f"more than {tolerance:.0e}"
            )
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return difference


@torch.no_grad()
def _largest_difference(
    module: nn.Module, path: Path, checks: Iterable[tuple[Tensor, ...]], relative: bool
) -> float:
    session = OnnxSession(path)
    differences = []
    for tensors in checks:
        given = {name: tensor.numpy() for name, tensor in zip(session.input_names, tensors, strict=True)}
        expected = module(*tensors)
        expected = (expected,) if isinstance(expected, Tensor) else expected
        for found, wanted in zip(session.run(**given), expected, strict=True):
            largest = np.abs(found - wanted.numpy()).max()
            differences.append(largest / max(float(wanted.abs().max()), 1e-9) if relative else largest)
    return float(np.max(differences))
