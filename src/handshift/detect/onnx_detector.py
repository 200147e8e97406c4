"""A trained detector at run time, by onnxruntime alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from handshift.core.errors import HandshiftError
from handshift.detect.detector import BagScore, Vectors, shares

DETECTOR = "detector.onnx"
"""What a training calls it."""


class NetworkDetector:
    """An exported network, loaded once; from a file, or from the folder of its training."""

    def __init__(self, path: Path, threads: int = 1) -> None:
        path = path / DETECTOR if path.is_dir() else path
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(
                str(path), sess_options=options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime's errors have no common class
            raise HandshiftError(f"{path}: not a detector that can be loaded ({error})") from error
        names = [put.name for put in (*self._session.get_inputs(), *self._session.get_outputs())]
        if names != ["words", "mask", "logit", "contribution"]:
            raise HandshiftError(f"{path}: not a detector; `handshift train detect` writes them")
        told = self._session.get_modelmeta().custom_metadata_map
        self._aware = bool(told.get("order_aware") == "true")
        self.name = str(told.get("name") or path.stem)
        """Of the model, as `handshift train detect --model` has it."""
        self.path = path

    @property
    def order_aware(self) -> bool:
        """Whether the order of the words matters. Reading backwards never does."""
        return self._aware

    def score(self, words: Vectors) -> BagScore:
        """Score one bag (words, dimensions)."""
        logit, contribution = self.score_bags(words[None], np.ones((1, len(words)), bool))
        return BagScore(float(logit[0]), shares(contribution[0].astype(np.float64)))

    def score_bags(
        self, words: Vectors, mask: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """(bags, n, dimensions) and (bags, n) → logits (bags,) and contributions (bags, n)."""
        logit, contribution = self._session.run(None, {"words": words.astype(np.float32), "mask": mask})
        return logit, contribution
