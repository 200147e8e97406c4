"""Word segmentation: boxes against synthetic truth, counts against the text of real pages, and by resolution.

Real pages are scans at 150 dpi; other resolutions are resampled from them.

Example: python benchmarks/segmentation.py --data ../shared/data/csafe
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from boxes import box_f1
from numpy.typing import NDArray
from result_file import Benchmark

from handshift.core.atomic import write_bytes
from handshift.corpus.layouts import read_corpus
from handshift.corpus.scribes import Layout, Passage, Scribe, draw_page
from handshift.corpus.scribes.texts import ENGLISH, KOREAN
from handshift.page.scan import read_scans
from handshift.page.segment import segment
from handshift.page.word_overlay import contact_sheet, draw_words

SCANNED, RESOLUTIONS = 150, (100, 125, 200, 225, 262, 300, 375, 400, 600)
PROMPT_WORDS = 85
"""Words of the London letter as printed."""
SYNTHETIC: dict[str, tuple[dict[str, Any], str]] = {
    "plain": ({}, ENGLISH),
    "ruled": ({"paper": "ruled"}, ENGLISH),
    "squared": ({"paper": "squared"}, ENGLISH),
    "tinted": ({"paper": "tinted"}, ENGLISH),
    "sloping 8°": ({"layout": Layout(slope_deg=-8)}, ENGLISH),
    "sagging": ({"layout": Layout(sag_mm=5)}, ENGLISH),
    "300 dpi": ({"dpi": 300}, ENGLISH),
    "100 dpi": ({"dpi": 100}, ENGLISH),
    "200 dpi": ({"dpi": 200}, ENGLISH),
    "400 dpi": ({"dpi": 400}, ENGLISH),
    "600 dpi": ({"dpi": 600}, ENGLISH),
    "Hangul": ({}, KOREAN),
}


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    options = benchmark.options
    options.add_argument("--data", type=Path, default=Path("../shared/data/csafe"))
    options.add_argument("--pages", type=int, default=100)
    options.add_argument("--resolved", type=int, default=100, help="pages that are resampled")
    options.add_argument("--scribes", type=int, default=12)
    options.add_argument("--seed", type=int, default=2026)
    options.add_argument("--sheet", type=Path, help="contact sheet of 12 overlays, for looking at")
    given = benchmark.begin()
    result = {
        "synthetic_box_f1_at_iou_0.5": _synthetic(given.scribes),
        "csafe_lnd_word_count": _counts(given.data, given.pages, given.seed, given.sheet),
        "word_count_by_dpi": _resolutions(given.data, given.resolved, given.seed),
    }
    benchmark.write(result)


def _synthetic(scribes: int) -> dict[str, object]:
    figures: dict[str, object] = {}
    for name, (settings, text) in SYNTHETIC.items():
        scores = []
        for number in range(scribes):
            page = draw_page([Passage(Scribe(number), text)], seed=number, **settings)
            found = segment(page.image).words
            scores.append(box_f1([word.box for word in found], [word.box for word in page.words]))
        figures[name] = {"mean": round(float(np.mean(scores)), 4), "worst": round(min(scores), 4)}
    figures["scribes"] = scribes
    return figures


def _counts(data: Path, pages: int, seed: int, sheet: Path | None) -> dict[str, object]:
    corpus = read_corpus(data)
    letters = [sample for sample in corpus.samples if sample.prompt == "LND"]
    chosen = np.random.default_rng(seed).choice(len(letters), pages, replace=False)
    error: dict[str, float] = {}
    overlays: list[Any] = []
    for index in chosen:
        path = letters[index].path
        image = next(read_scans(path)).image
        words = segment(image).words
        error[path.name] = (len(words) - PROMPT_WORDS) / PROMPT_WORDS
        if len(overlays) < 12:
            hands = ["AB"[word.line % 2] for word in words]
            overlays.append(draw_words(image, [word.box for word in words], hands))
    if sheet:
        picture = cv2.cvtColor(contact_sheet(overlays, 4), cv2.COLOR_RGB2BGR)
        write_bytes(sheet, cv2.imencode(".png", picture)[1].tobytes())
    size = np.abs(list(error.values()))
    worst = sorted(error, key=lambda name: -abs(error[name]))[:5]
    return {
        "pages": pages,
        "seed": seed,
        "median_absolute_error": round(float(np.median(size)), 4),
        "within_15_percent": round(float(np.mean(size <= 0.15)), 4),
        "largest": round(float(size.max()), 4),
        "bias": round(float(np.median(list(error.values()))), 4),
        "worst": {name: round(error[name], 3) for name in worst},
    }


def _resolutions(data: Path, pages: int, seed: int) -> dict[str, object]:
    """Words at other resolutions over those at 150 dpi, on real pages."""
    samples = [sample for sample in read_corpus(data).samples if sample.prompt != "PHR"]
    pages = min(pages, len(samples))
    chosen = np.random.default_rng(seed + 1).choice(len(samples), pages, replace=False)
    ratios: dict[str, list[float]] = {}
    for number, index in enumerate(chosen):
        path = samples[index].path
        image = next(read_scans(path)).image
        usual = max(1, len(segment(image).words))
        ratios[path.name] = [len(segment(_resampled(image, dpi)).words) / usual for dpi in RESOLUTIONS]
        print(f"{number + 1} of {pages}: {path.name}", file=sys.stderr)
    error = np.abs(np.array(list(ratios.values())) - 1)  # (pages, resolutions)
    worst = sorted(ratios, key=lambda name: -max(abs(ratio - 1) for ratio in ratios[name]))[:5]
    return {
        "pages": pages,
        "dpi": RESOLUTIONS,
        "within_10_percent_by_dpi": [round(float(share), 4) for share in (error <= 0.1).mean(axis=0)],
        "pages_within_10_percent": round(float((error.max(axis=1) <= 0.1).mean()), 4),
        "largest": round(float(error.max()), 4),
        "worst": {name: [round(ratio, 3) for ratio in ratios[name]] for name in worst},
    }


def _resampled(image: NDArray[np.uint8], dpi: int) -> NDArray[np.uint8]:
    factor = dpi / SCANNED
    how = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(image, None, fx=factor, fy=factor, interpolation=how), np.uint8)


if __name__ == "__main__":
    main()
