"""An exported network, loaded once and run by onnxruntime alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from handshift.core.errors import HandshiftError


class OnnxNetwork:
    """One array in, one array out."""

    def __init__(self, path: Path, threads: int = 1) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        # Threads that spin while a map is read and resized take the processor from whoever does that.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._session = onnxruntime.InferenceSession(
                str(path), sess_options=options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime's errors have no common class
            raise HandshiftError(
                f"{path}: not a network that can be loaded ({error}); train it again"
            ) from error
        self._given = self._session.get_inputs()[0].name

    def __call__(self, values: NDArray[np.floating]) -> NDArray[np.float32]:
        """Run a batch."""
        (output,) = self._session.run(None, {self._given: np.asarray(values, np.float32)})
        return np.asarray(output, np.float32)
