"""`OnnxSession`: an exported network, loaded once and run by onnxruntime on the CPU."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from handshift.core.errors import HandshiftError
from handshift.core.loaders import read_bytes
from handshift.core.terminal_text import one_line

LARGEST_FILE = 2 << 30
"""Bytes; protobuf, in which ONNX files are written, allows no more."""


class ChecksumError(HandshiftError):
    """A network is not the one whose checksum was recorded."""


class OnnxSession:
    """A loaded ONNX file.

    Args:
        path: The ``.onnx`` file.
        threads: Threads within one operator.
        spin: Whether idle threads spin between two runs. Spinning shortens runs that follow each other
            closely and takes the processor from other work done in between.
        sha256: Checksum that the file must have; it is compared before the network is parsed.

    Raises:
        ChecksumError: The file is another one than ``sha256`` belongs to.
        HandshiftError: The file is missing, too large, or not a network that onnxruntime can load.
    """

    def __init__(self, path: Path, threads: int = 1, *, spin: bool = True, sha256: str | None = None) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        if not spin:
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        content = read_bytes(path, LARGEST_FILE)
        self.sha256 = hashlib.sha256(content).hexdigest()
        """Of the bytes that were loaded."""
        if sha256 is not None and self.sha256 != sha256:
            raise ChecksumError(f"{path}: not the network that was recorded; its checksum differs")
        try:
            self._session = onnxruntime.InferenceSession(
                content, sess_options=options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime's errors have no common class
            reason = one_line(str(error).strip())
            raise HandshiftError(
                f"{path}: not a network that can be loaded ({reason}); export or install it again"
            ) from error
        self.input_names = tuple(str(value.name) for value in self._session.get_inputs())
        self.output_names = tuple(str(value.name) for value in self._session.get_outputs())

    @property
    def metadata(self) -> dict[str, str]:
        """Key–value pairs that the exporter stored in the file."""
        return dict(self._session.get_modelmeta().custom_metadata_map)

    def output_shape(self, number: int = 0) -> tuple[int | str, ...]:
        """Shape of an output; free dimensions are given by name."""
        return tuple(self._session.get_outputs()[number].shape)

    def run(self, **inputs: NDArray[Any]) -> list[NDArray[Any]]:
        """Run the network on named inputs.

        Args:
            **inputs: One array for each name in `input_names`, with the type the network expects.

        Returns:
            One array for each name in `output_names`.
        """
        return [np.asarray(output) for output in self._session.run(None, inputs)]

    def __call__(self, values: NDArray[np.floating]) -> NDArray[np.float32]:
        """Run a network of one input and one output on a batch."""
        (output,) = self.run(**{self.input_names[0]: np.asarray(values, np.float32)})
        return np.asarray(output, np.float32)
