"""Stores weights as float16 and computes in float32: half the file size, the same arithmetic."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from handshift.core.onnx_export import ExportError

_LARGEST = float(np.finfo(np.float16).max)


def write_float16(source: Path, target: Path) -> None:
    """Replace every weight w by float32(float16(w)); the runtime converts them once, on loading.

    Raises:
        ExportError: A weight exceeds the range of float16.
    """
    model = onnx.load(source)
    graph = model.graph
    casts = []
    for weight in graph.initializer:
        if weight.data_type != TensorProto.FLOAT:
            continue
        values = numpy_helper.to_array(weight)
        if values.size and float(np.abs(values).max()) > _LARGEST:
            raise ExportError(f"{source}: {weight.name} exceeds the range of float16; {target} not written")
        name = weight.name
        weight.CopyFrom(numpy_helper.from_array(values.astype(np.float16), f"{name}.half"))
        casts.append(helper.make_node("Cast", [f"{name}.half"], [name], to=TensorProto.FLOAT))
    for cast in reversed(casts):
        graph.node.insert(0, cast)
    onnx.checker.check_model(model)
    target.write_bytes(model.SerializeToString())
