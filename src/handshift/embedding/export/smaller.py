"""Smaller files of the same network, written only if they verify unseen writers as well."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.core.onnx_export import ExportError
from handshift.embedding.embedder import Embedder
from handshift.embedding.export.float16 import write_half
from handshift.embedding.train.held_out import Examination
from handshift.embedding.verification import similarities

_CALIBRATION = 512
"""Pictures by which the ranges of activations are measured."""
_WORST_AUC_LOSS = 0.005
_LEAST_COSINE = {"half": 0.9999, "int8": 0.9}
"""Least cosine that a picture's vector may have to that of the whole network."""


def lighter_files(
    examination: Examination, known: NDArray[np.int64], network: Path, *, half: bool, int8: bool
) -> Iterator[str]:
    """Write `words-half.onnx` and `words-int8.onnx` beside `network` as asked, and tell what each costs.

    `known` are rows of words that the network was trained on, of which some serve to measure ranges.
    """
    if not (half or int8):
        return
    vectors = Embedder(network).embed_crops(examination.crops)
    if half:
        yield _written(examination, network, "half", write_half, vectors)
    if int8:
        from handshift.embedding.export.int8 import write_int8

        some = np.sort(np.random.default_rng(0).permutation(known)[:_CALIBRATION])

        def write(source: Path, target: Path) -> None:
            write_int8(source, target, examination.words.crops[some])

        yield _written(examination, network, "int8", write, vectors)


def _written(
    examination: Examination,
    network: Path,
    kind: str,
    write: Callable[[Path, Path], None],
    vectors: NDArray[np.float32],
) -> str:
    target = network.with_name(f"{network.stem}-{kind}{network.suffix}")
    partial = target.with_name(target.name + ".partial")
    try:
        write(network, partial)
        lighter = Embedder(partial).embed_crops(examination.crops)
        both = np.arange(2 * len(vectors)).reshape(2, -1).T  # each word in the one file and in the other
        cosine = float(similarities(np.concatenate([vectors, lighter]), both).min())
        before, after = (examination.figures(made)["auc"] for made in (vectors, lighter))
        told = f"least cosine to the whole network {cosine:.5f}, AUC {before:.4f} → {after:.4f}"
        if not (cosine >= _LEAST_COSINE[kind] and before - after <= _WORST_AUC_LOSS):
            raise ExportError(
                f"{target} not written: {told}; at least {_LEAST_COSINE[kind]} and a loss of at most "
                f"{_WORST_AUC_LOSS} are wanted. Use {network.name}"
            )
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return f"{target}: {target.stat().st_size / network.stat().st_size:.0%} of the size, {told}"
