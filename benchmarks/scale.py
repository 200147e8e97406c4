"""Does a word keep its vector at another resolution, or in a line image without its sheet?

Pages of held-out writers of three databases are resampled to every resolution. The word boxes found at 150
dpi are given at all of them, so that the scale of the crop is all that can differ; of a line image likewise.

Example: python benchmarks/scale.py --data databases --model words-3 --model words-4
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator

import cv2
import numpy as np
from compared_networks import embedders, networks_benchmark
from numpy.typing import NDArray

from handshift.corpus.databases.reading import read_database
from handshift.corpus.databases.record import Holds, Record
from handshift.corpus.databases.splits import load_split
from handshift.embedding.crops.record_cut import record_image, record_words
from handshift.embedding.crops.scaling import Scaling
from handshift.embedding.crops.word_crop import pen_scale, word_crops
from handshift.embedding.crops.writing_scale import scaled_crops, writing_scale
from handshift.embedding.embedder import Embedder, unit_rows
from handshift.page.external_segmentation import ExternalWord
from handshift.page.segment import segment
from handshift.page.word import Box, Word

RESOLUTIONS, NATIVE, SEED, MARGIN = (100, 150, 200, 300, 400, 600), 150, 2026, 12
DATABASES = ("csafe", "iam", "copiste")


def main() -> None:
    benchmark = networks_benchmark(__file__, __doc__)
    benchmark.options.add_argument("--pages", type=int, default=100)
    given = benchmark.begin()
    networks = {name: (one, one.scaling is Scaling.WRITING) for name, one in embedders(given).items()}
    cosines: dict[str, dict[str, list[float]]] = {name: {} for name in networks}
    for page in held_out_pages(given):
        words = record_words(page)
        if len(words) < 5:
            continue
        image = record_image(page)
        for name, (embedder, by_writing) in networks.items():
            usual = _vectors(embedder, by_writing, image, [word.box for word in words])
            for label, other, boxes, at in _variants(image, words):
                vectors = _vectors(embedder, by_writing, other, boxes)
                alike = np.einsum("wd,wd->w", vectors, usual[at])
                cosines[name].setdefault(label, []).extend(alike.tolist())
    result = {
        name: {label: _summary(values) for label, values in by_label.items()}
        for name, by_label in cosines.items()
    }
    print(json.dumps(result, indent=1))
    benchmark.write({"part": given.part, "pages": given.pages, **result})


def held_out_pages(given: argparse.Namespace) -> list[Record]:
    """As many pages of writers of the part, of the three databases alike."""
    rng = np.random.default_rng(SEED)
    chosen: list[Record] = []
    for name in DATABASES:
        database = read_database(given.data, name)
        part = database.written_by(load_split(database, given.splits).parts[given.part])
        pages = [record for record in part.records if record.holds is Holds.PAGE]
        chosen += [pages[at] for at in rng.permutation(len(pages))[: -(-given.pages // len(DATABASES))]]
    return chosen[: given.pages]


def _variants(
    image: NDArray[np.uint8], words: list[Word]
) -> Iterator[tuple[str, NDArray[np.uint8], list[Box], list[int]]]:
    """Name, picture, boxes in it, and which of the words they are."""
    for dpi in RESOLUTIONS:
        boxes = [scaled_box(word.box, dpi / NATIVE) for word in words]
        yield f"{dpi} dpi", resampled(image, dpi), boxes, list(range(len(words)))
    for line in {word.line for word in words}:
        at = [number for number, word in enumerate(words) if word.line == line]
        if len(at) < 4:
            continue
        boxes = [words[number].box for number in at]
        top = max(0, min(box.y for box in boxes) - MARGIN)
        bottom = max(box.y + box.height for box in boxes) + MARGIN
        yield "line", image[top:bottom], [box._replace(y=box.y - top) for box in boxes], at


def resampled(image: NDArray[np.uint8], dpi: int) -> NDArray[np.uint8]:
    """The picture at another resolution."""
    factor = dpi / NATIVE
    how = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    return (
        image
        if dpi == NATIVE
        else np.asarray(cv2.resize(image, None, fx=factor, fy=factor, interpolation=how))
    )


def scaled_box(box: Box, factor: float) -> Box:
    """The box in a picture that many times as large."""
    return Box(
        *(
            max(1, round(value * factor)) if number > 1 else round(value * factor)
            for number, value in enumerate(box)
        )
    )


def _vectors(
    embedder: Embedder, by_writing: bool, image: NDArray[np.uint8], boxes: list[Box]
) -> NDArray[np.float32]:
    found = segment(image, [ExternalWord(box, 0) for box in boxes])
    if by_writing:
        crops = scaled_crops(found.words, writing_scale([word.ink for word in found.words]))
    else:
        crops = word_crops(found.words, pen_scale(found) if found.letter_size else 1.0)
    return unit_rows(embedder.embed_crops(crops))


def _summary(values: list[float]) -> dict[str, float]:
    low, middle = np.quantile(values, [0.05, 0.5])
    return {"words": len(values), "median": round(float(middle), 4), "lowest 5 %": round(float(low), 4)}


if __name__ == "__main__":
    main()
