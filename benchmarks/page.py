"""Seconds and megabytes from file to verdict, beside a text detector on the same pages in the same run.

Pages are drawn at 150 dpi; the photo is such a page on a table, with 12 megapixels, as JPEG.

Example: python benchmarks/page.py            (the peer needs the `ocr` extra)
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
from result_file import Benchmark
from wild_conditions import photo
from wild_pages import Writing

from handshift.core.atomic import write_bytes
from handshift.corpus.scribes import Passage, Scribe, draw_page, save_page
from handshift.corpus.scribes.texts import ENGLISH
from handshift.page.scan import read_scans
from handshift.page.segment import segment
from handshift.pipeline.examiner import Examiner

PHOTO = (3024, 4032)
"""Width and height of a phone's photo with 12 megapixels."""
PHOTOS = 3
PEAK = """
import sys
import handshift
handshift.examine(sys.argv[1])
# Not getrusage: its peak is inherited from the process that started this one.
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(int(status["VmHWM"].split()[0]) / 1024)
"""


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    options = benchmark.options
    options.add_argument("--pages", type=int, default=8)
    options.add_argument("--rounds", type=int, default=5)
    given = benchmark.begin()
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.png" for number in range(given.pages)]
        for number, path in enumerate(paths):
            save_page(draw_page([Passage(Scribe(number), ENGLISH)], seed=number), path)
        photos = [Path(folder) / f"{number}.jpg" for number in range(PHOTOS)]
        for number, path in enumerate(photos):
            _take_photo(number, path)
        result = _measure(paths, photos, given.rounds)
    benchmark.write(result)


def _take_photo(number: int, path: Path) -> None:
    """A drawn page on a table, aslant."""
    sheet = draw_page([Passage(Scribe(number), ENGLISH)], seed=number).image
    page = Writing(sheet, two_hands=False, writer="", own=sheet, other=sheet)
    picture = photo(page, np.random.default_rng(number), enlarge=2.2)
    picture = cv2.resize(picture, PHOTO, interpolation=cv2.INTER_AREA)[:, :, ::-1]
    write_bytes(path, cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes())


def _measure(paths: list[Path], photos: list[Path], rounds: int) -> dict[str, object]:
    examiner = Examiner()
    images = [next(read_scans(path)).image for path in paths]
    words = [len(next(examiner.examine(path)).words) for path in paths]
    sheets = [next(examiner.examine(path)).page.view.sheet is not None for path in photos]
    peer = _peer()
    seconds: dict[str, list[float]] = {"examine": [], "photo": [], "segment": [], "peer": []}
    # Interleaved, so that a busy moment of the machine falls on all of them.
    for _ in range(rounds):
        for path, image in zip(paths, images, strict=True):
            seconds["examine"].append(_timed(_first_verdict, examiner, path))
            seconds["segment"].append(_timed(segment, image))
            if peer:
                seconds["peer"].append(_timed(peer, image))
        for path in photos:
            seconds["photo"].append(_timed(_first_verdict, examiner, path))
    command = ("-m", "handshift", "examine", str(paths[0]), "--no-report")
    start = [_timed(_run, *command) for _ in range(5)]
    figures: dict[str, object] = {
        "pages": len(paths),
        "words_a_page": statistics.median(words),
        "sheets_found_on_photos": sum(sheets),
        "file_to_verdict_s": _median(seconds["examine"]),
        "photo_12_megapixels_to_verdict_s": _median(seconds["photo"]),
        "of_which_segmentation_s": _median(seconds["segment"]),
        "process_start_to_verdict_s": _median(start),
        "fastest_s": {"file_to_verdict": round(min(seconds["examine"]), 3), "start": round(min(start), 3)},
        "peak_memory_mb": round(float(_run("-c", PEAK, str(paths[0]))), 1),
    }
    if peer:
        ratio = statistics.median(seconds["peer"]) / statistics.median(seconds["examine"])
        figures["rapidocr_with_word_boxes_s"] = _median(seconds["peer"])
        figures["rapidocr_over_handshift"] = round(ratio, 2)
    return figures


def _peer() -> Callable[[object], object] | None:
    """rapidocr finding and reading text, with a box for each word."""
    try:
        from rapidocr import RapidOCR
    except ImportError:
        return None
    threads = {"EngineConfig.onnxruntime.intra_op_num_threads": 2}
    engine = RapidOCR(params={"Global.log_level": "error", **threads})
    return lambda image: engine(image, return_word_box=True)


def _first_verdict(examiner: Examiner, path: Path) -> object:
    return next(examiner.examine(path))


def _timed(work: Callable[..., object], *arguments: object) -> float:
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


def _median(values: list[float]) -> float:
    return round(statistics.median(values), 3)


def _run(*words: str) -> str:
    done = subprocess.run([sys.executable, *words], check=True, capture_output=True, text=True)
    return done.stdout.strip().splitlines()[-1]


if __name__ == "__main__":
    main()
