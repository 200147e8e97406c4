"""Weights kept as float16 and computed with as float32: half the file, the same arithmetic."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from handshift.core.onnx_export import ExportError

_LARGEST = float(np.finfo(np.float16).max)


def write_half(source: Path, target: Path) -> None:
    """w ≈ float32(float16(w)) for every weight w; the runtime widens them once, when it loads the file."""
    model = onnx.load(source)
    graph = model.graph
    casts = []
    for weight in graph.initializer:
        if weight.data_type != TensorProto.FLOAT:
            continue
        values = numpy_helper.to_array(weight)
        if values.size and float(np.abs(values).max()) > _LARGEST:
            raise ExportError(
                f"{source}: {weight.name} holds values that float16 does not; {target} not written"
            )
        name = weight.name
        weight.CopyFrom(numpy_helper.from_array(values.astype(np.float16), f"{name}.half"))
        casts.append(helper.make_node("Cast", [f"{name}.half"], [name], to=TensorProto.FLOAT))
    for cast in reversed(casts):
        graph.node.insert(0, cast)
    onnx.checker.check_model(model)
    target.write_bytes(model.SerializeToString())
