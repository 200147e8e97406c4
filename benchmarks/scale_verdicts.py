"""Does the verdict on a page stay the same at another resolution?

Pages of held-out writers of three databases are resampled to every resolution and examined as `handshift
examine` does, with the word boxes found at 150 dpi and with those found at that resolution. The ratio is
compared with that of the page as it is, with its own boxes. Finished pages are kept in --state.

Example: python benchmarks/scale_verdicts.py --data databases --part test --state runs/scale.jsonl
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
from journalled_pieces import add, rows
from numpy.typing import NDArray
from result_file import Benchmark
from scale import NATIVE, RESOLUTIONS, held_out_pages, resampled, scaled_box

from handshift.core.errors import PageError
from handshift.corpus.databases.record import Record
from handshift.embedding.crops.record_cut import record_image, record_words
from handshift.metrics import bootstrap_interval
from handshift.page.external_segmentation import ExternalWord
from handshift.page.segment import segment
from handshift.page.word import Page
from handshift.pipeline.examiner import Examiner

LIMIT, SEED = 0.3, 2026
KINDS = ("same boxes", "own boxes")


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    options = benchmark.options
    options.add_argument("--data", type=Path, required=True, help="folder of the databases")
    options.add_argument("--splits", type=Path, default=Path("studies/splits"))
    options.add_argument("--part", default="validation")
    options.add_argument("--pages", type=int, default=100)
    options.add_argument("--model", default=None)
    options.add_argument("--state", type=Path, required=True, help="finished pages, to stop and to continue")
    options.add_argument("--boxes", choices=("same", "both"), default="both", help="which boxes to use")
    given = benchmark.begin()
    cv2.setNumThreads(1)
    examiner = Examiner(given.model, threads=1)
    kinds = KINDS[:1] if given.boxes == "same" else KINDS
    done = {(row["page"], row["boxes"]) for row in rows(given.state)}
    for record in held_out_pages(given):
        for kind in kinds:
            if (record.page, kind) not in done:
                found = _ratios(record, examiner, kind == KINDS[0])
                add(
                    given.state,
                    {"page": record.page, "writer": record.writer, "boxes": kind, "log10_lr": found},
                )
    result: dict[str, Any] = {"model": examiner.model.id, "part": given.part, "limit": LIMIT}
    for kind in kinds:
        result[kind] = _moved([row for row in rows(given.state) if row["boxes"] == kind])
    benchmark.write(result)


def _ratios(record: Record, examiner: Examiner, same: bool) -> dict[str, float | None]:
    """log10 LR at each resolution; None where the page is not examined there."""
    image, words = record_image(record), record_words(record)
    found: dict[str, float | None] = {}
    for dpi in RESOLUTIONS:
        other, factor = resampled(image, dpi), dpi / NATIVE
        given = [ExternalWord(scaled_box(word.box, factor), word.line) for word in words] if same else None
        try:
            found[str(dpi)] = float(examiner.examine_page(_page(other, given, record)).log10_lr)
        except PageError:
            found[str(dpi)] = None
    return found


def _page(image: NDArray[np.uint8], given: list[ExternalWord] | None, record: Record) -> Page:
    cut = segment(image, given)
    sizes = (cut.letter_size, cut.sheet_width, cut.column_width)
    return Page(image, cut.words, record.path, "", 0, *sizes)


def _moved(pages: list[dict[str, Any]]) -> dict[str, Any]:
    """Largest move of each page over resolutions, and how many pages stay within the limit."""
    names = [str(dpi) for dpi in RESOLUTIONS if dpi != NATIVE]
    kept = [page for page in pages if page["log10_lr"][str(NATIVE)] is not None]
    native = np.array([page["log10_lr"][str(NATIVE)] for page in kept])
    moves = np.array([[_number(page["log10_lr"][name]) for name in names] for page in kept]) - native[:, None]
    largest = np.nan_to_num(np.abs(moves), nan=np.inf).max(axis=1)
    writers = np.array([page["writer"] for page in kept])
    within = bootstrap_interval(
        writers, lambda at: float((largest[at] <= LIMIT).mean()), repeats=300, seed=SEED
    )
    return {
        "pages": len(kept),
        "within": {
            "value": round(within.value, 4),
            "interval": [round(within.low, 4), round(within.high, 4)],
        },
        "95 % of pages": round(float(np.quantile(largest, 0.95)), 3),
        "by resolution": {
            name: {
                "within": round(float((np.abs(column) <= LIMIT).mean()), 4),
                "median move": round(float(np.nanmedian(np.abs(column))), 3),
                "95 %": round(float(np.nanquantile(np.abs(column), 0.95)), 3),
                "not examined": int(np.isnan(column).sum()),
            }
            for name, column in zip(names, moves.T, strict=True)
        },
    }


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


if __name__ == "__main__":
    main()
