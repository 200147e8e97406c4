"""Words per second of the shipped network, beside the source's ViT-B/16 at 224 px on the same crops.

Both run in onnxruntime with the same threads, in turns. The words are drawn by scribes.
Example: python benchmarks/throughput.py            (needs the `train` extra to build the ViT)
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from result_file import Benchmark

from handshift.corpus.scribes import Passage, Scribe, draw_page, save_page
from handshift.corpus.scribes.texts import ENGLISH
from handshift.embedding.crops.file_contents import FileContents, file_crops
from handshift.embedding.embedder import Embedder
from handshift.embedding.export.onnx import export_embedder
from handshift.embedding.train.backbones import make_backbone
from handshift.models.shipped_models import find_model


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    options = benchmark.options
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--rounds", type=int, default=5)
    given = benchmark.begin()
    with tempfile.TemporaryDirectory() as folder:
        result = _measure(Path(folder), given.threads, given.rounds)
    benchmark.write(result)


def _measure(folder: Path, threads: int, rounds: int) -> dict[str, object]:
    crops = _crops(folder)
    print(f"{len(crops)} words drawn; building ViT-B/16", flush=True)
    export_embedder(make_backbone("vit-b16", hidden=512, size=224, from_scratch=True), folder / "vit.onnx")
    shipped = find_model(None)
    ours, vit = shipped.embedder(threads), Embedder(folder / "vit.onnx", threads)
    few = crops[:32]
    rates: dict[str, list[float]] = {"shipped": [], "vit": []}
    for number in range(rounds + 1):
        print(f"round {number} of {rounds}", flush=True)
        pair = {"shipped": _rate(ours, crops), "vit": _rate(vit, few)}
        if number:  # the first one warms up
            for name, rate in pair.items():
                rates[name].append(rate)
    ratios = [one / other for one, other in zip(rates["shipped"], rates["vit"], strict=True)]
    return {
        "model": shipped.card.id,
        "threads": threads,
        "shipped_words_per_second": round(statistics.median(rates["shipped"]), 1),
        "vit_b16_224_words_per_second": round(statistics.median(rates["vit"]), 2),
        "ratio": round(statistics.median(ratios), 1),
        "ratio_lowest_round": round(min(ratios), 1),
    }


def _crops(folder: Path) -> NDArray[np.uint8]:
    found = []
    for number in range(12):
        path = folder / f"{number}.png"
        save_page(draw_page([Passage(Scribe(number), ENGLISH)], seed=number), path)
        found.append(file_crops(path, FileContents.PAGE))
    return np.concatenate(found)


def _rate(embedder: Embedder, crops: NDArray[np.uint8]) -> float:
    start = time.perf_counter()
    embedder.embed_crops(crops)
    return len(crops) / (time.perf_counter() - start)


if __name__ == "__main__":
    main()
