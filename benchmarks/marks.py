"""Print, stamps, strike-outs and signatures: precision and recall on drawn pages of known truth.

Pages by one writer of CSAFE, copiste and IAM are crossed out in places, stamped and signed, or laid on a
form. A true mark is found if marks of its kind cover half of its box; a found mark is right if its middle
lies in a true box of its kind. Words that the writers themselves crossed out count as wrong.

Example: python benchmarks/marks.py --data ../shared/data --part test
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from result_file import Benchmark
from tqdm import tqdm
from wild_marks import filled_form, stamped, struck
from wild_pages import Image, Writers, Writing

from handshift.page.find_view import segment_view
from handshift.page.word import Box
from handshift.page.word_kind import WordKind

Draw = np.random.Generator
Truth = dict[WordKind, list[Box]]
_REACH = 8
"""Pixels about a true box within which the middle of a found mark may lie."""


def crossed(page: Writing, draw: Draw) -> tuple[Image, Truth]:
    """Three to six words crossed out."""
    image, boxes = struck(page.image, draw)
    return image, {WordKind.STRUCK_OUT: boxes}


def sealed(page: Writing, draw: Draw) -> tuple[Image, Truth]:
    """A stamp and a signature below the text."""
    image, stamp, signature = stamped(page, draw)
    return image, {WordKind.STAMP: [stamp], WordKind.SIGNATURE: [signature]}


def printed(page: Writing, draw: Draw) -> tuple[Image, Truth]:
    """The writing on a form."""
    image, boxes = filled_form(page, draw)
    return image, {WordKind.PRINT: boxes}


DRAWN: tuple[Callable[[Writing, Draw], tuple[Image, Truth]], ...] = (crossed, sealed, printed)


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    options = benchmark.options
    options.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of the databases")
    options.add_argument("--splits", type=Path, default=Path("studies/splits"))
    options.add_argument("--part", default="test")
    options.add_argument("--pages", type=int, default=30, help="of each kind")
    given = benchmark.begin()
    writers = Writers(given.data, given.splits, given.part)
    counts = {kind: np.zeros(4, int) for kind in WordKind}
    for number in tqdm(range(given.pages)):
        page = writers.latin(number, two_hands=False)
        for which, drawn in enumerate(DRAWN):
            image, truth = drawn(page, np.random.default_rng([writers.seed, number, which]))
            for kind, row in judged(image, truth).items():
                counts[kind] += row
    benchmark.write(
        {
            "part": given.part,
            "pages_of_each_kind": given.pages,
            "kinds": {
                kind.value: {
                    "marks": int(wanted),
                    "recall": round(float(hit / max(1, wanted)), 4),
                    "found": int(found),
                    "precision": round(float(right / max(1, found)), 4),
                }
                for kind, (wanted, hit, found, right) in counts.items()
                if wanted
            },
        }
    )


def judged(image: Image, truth: Truth) -> dict[WordKind, tuple[int, int, int, int]]:
    """For each kind on the page: true marks, those found, marks found, those right."""
    _, seen, found = segment_view(image)
    assert seen.shape == image.shape, "a drawn page is neither turned nor cut"
    rows = {}
    for kind, boxes in truth.items():
        own = [word.box for word in found.words if word.kind is kind]
        hit = sum(covered(box, own) >= 0.5 for box in boxes)
        right = sum(any(_middle_in(one, box) for box in boxes) for one in own)
        rows[kind] = (len(boxes), hit, len(own), right)
    return rows


def covered(box: Box, others: Sequence[Box]) -> float:
    """Share of a box that lies in any of the others."""
    inside = np.zeros((box.height, box.width), bool)
    for x, y, width, height in others:
        left, top = x - box.x, y - box.y
        inside[max(0, top) : max(0, top + height), max(0, left) : max(0, left + width)] = True
    return float(inside.mean()) if inside.size else 0.0


def _middle_in(one: Box, box: Box) -> bool:
    x, y = one.x + one.width / 2, one.y + one.height / 2
    return (
        box.x - _REACH <= x <= box.x + box.width + _REACH
        and box.y - _REACH <= y <= box.y + box.height + _REACH
    )


if __name__ == "__main__":
    main()
