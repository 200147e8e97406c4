"""Smaller files of a network (float16, int8), written only if held-out verification does not suffer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.core.onnx_export import ExportError
from handshift.embedding.embedder import Embedder
from handshift.embedding.export.float16 import write_float16
from handshift.embedding.train.held_out import HeldOutPairs
from handshift.embedding.verification import similarities

_CALIBRATION = 512
"""Pictures on which activation ranges are measured."""
_WORST_AUC_LOSS = 0.005
_LEAST_COSINE = {"half": 0.9999, "int8": 0.9}
"""Smallest allowed cosine between a picture's vectors by the two files."""


def smaller_files(
    held_out_pairs: HeldOutPairs, known: NDArray[np.int64], network: Path, *, half: bool, int8: bool
) -> Iterator[str]:
    """Write `words-half.onnx` and `words-int8.onnx` beside `network`.

    Args:
        held_out_pairs: Pairs on which the files are compared.
        known: Rows of training words, some of which calibrate activation ranges.
        network: The float32 network.
        half: Write the float16 file.
        int8: Write the int8 file.

    Yields:
        One sentence for each file: size and loss of accuracy.

    Raises:
        ExportError: A file would be too inaccurate.
    """
    if not (half or int8):
        return
    vectors = Embedder(network).embed_crops(held_out_pairs.crops)
    if half:
        yield _written(held_out_pairs, network, "half", write_float16, vectors)
    if int8:
        from handshift.embedding.export.int8 import write_int8

        some = np.sort(np.random.default_rng(0).permutation(known)[:_CALIBRATION])

        def write(source: Path, target: Path) -> None:
            write_int8(source, target, held_out_pairs.words.crops[some])

        yield _written(held_out_pairs, network, "int8", write, vectors)


def _written(
    held_out_pairs: HeldOutPairs,
    network: Path,
    kind: str,
    write: Callable[[Path, Path], None],
    vectors: NDArray[np.float32],
) -> str:
    target = network.with_name(f"{network.stem}-{kind}{network.suffix}")
    partial = target.with_name(target.name + ".partial")
    try:
        write(network, partial)
        lighter = Embedder(partial).embed_crops(held_out_pairs.crops)
        both = np.arange(2 * len(vectors)).reshape(2, -1).T  # each word by either file
        cosine = float(similarities(np.concatenate([vectors, lighter]), both).min())
        before, after = (held_out_pairs.figures(made)["auc"] for made in (vectors, lighter))
        comparison = f"least cosine to the float32 network {cosine:.5f}, AUC {before:.4f} → {after:.4f}"
        if not (cosine >= _LEAST_COSINE[kind] and before - after <= _WORST_AUC_LOSS):
            raise ExportError(
                f"{target} not written: {comparison}; a cosine of at least {_LEAST_COSINE[kind]} and a loss "
                f"of at most {_WORST_AUC_LOSS} are required. Use {network.name}"
            )
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return f"{target}: {target.stat().st_size / network.stat().st_size:.0%} of the size, {comparison}"
