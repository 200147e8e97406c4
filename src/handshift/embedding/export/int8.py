"""Static int8 quantisation, with activation ranges calibrated on real crops."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

from handshift.embedding.crops.word_crop import by_width

_BATCH = 32


def write_int8(source: Path, target: Path, crops: NDArray[np.uint8]) -> None:
    """Quantise filters and matrices, q = round(x / step) + zero, one step per filter; the rest stays float32.

    Args:
        source: The float32 network.
        target: Where the quantised one is written.
        crops: (pictures, 64, 240), on which activation ranges are measured.
    """
    logging.getLogger().addFilter(_advice := _NoAdvice())
    try:
        quantize_static(
            str(source),
            str(target),
            _Pictures(crops),
            quant_format=QuantFormat.QDQ,
            # Pooling over ink squares and divides, for which eight bits are too few.
            op_types_to_quantize=["Conv", "Gemm", "MatMul"],
            nodes_to_exclude=[_first_filter(source)],
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
        )
    finally:
        logging.getLogger().removeFilter(_advice)


def _first_filter(path: Path) -> str:
    """The input layer: quantising its few weights saves nothing and costs accuracy."""
    return next((node.name for node in onnx.load(path).graph.node if node.op_type == "Conv"), "")


class _NoAdvice(logging.Filter):
    """Drops the runtime's advice to pre-process a graph that torch has already simplified."""

    def filter(self, record: logging.LogRecord) -> bool:
        return "pre-processing" not in record.getMessage()


class _Pictures(CalibrationDataReader):  # type: ignore[misc]
    """Calibration batches, each of one canvas width."""

    def __init__(self, crops: NDArray[np.uint8]) -> None:
        self._batches = self._all(crops)

    def get_next(self) -> dict[str, NDArray[np.float32]] | None:
        """The next batch, None at the end."""
        return next(self._batches, None)

    @staticmethod
    def _all(crops: NDArray[np.uint8]) -> Iterator[dict[str, NDArray[np.float32]]]:
        for _, group in by_width(crops):
            for start in range(0, len(group), _BATCH):
                pictures = group[start : start + _BATCH, None].astype(np.float32) / np.float32(255)
                yield {"pictures": pictures}
