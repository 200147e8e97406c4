"""Pages joined as pictures and examined as a user would: the lines above by one hand, those below by another.

The other figures mix vectors of pages that were each read alone. Here two scans are cut between the same two
lines of the same text and joined, so that finding words, scale and ink all work on the mixture. For every
mixed page there is one scan as it is, and one joined from two days of its writer, cut at the same place.

Example: python benchmarks/joined_pages.py --data ../shared/data/csafe --pages 100
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np
from known_writers import known_writers_benchmark
from numpy.typing import NDArray
from tqdm import tqdm

from handshift.attribution.verdict import Verdict
from handshift.corpus.layouts import read_corpus
from handshift.corpus.manifest import Sample
from handshift.corpus.split import WriterSplit
from handshift.metrics import auroc, bootstrap_interval
from handshift.page.scan import read_scans
from handshift.page.segment import segment
from handshift.pipeline.examiner import Examiner
from handshift.pipeline.read_pages import segment_scan

SEED = 2026
PROMPTS = ("LND", "WOZ")
FOREIGN = (0.2, 0.3, 0.5)
"""Shares of a page's lines that are replaced, from below."""
KINDS = ("one day", "two days", "two hands")


def main() -> None:
    benchmark = known_writers_benchmark(__file__, __doc__)
    benchmark.options.add_argument("--pages", type=int, default=100, help="of each kind")
    given = benchmark.begin()
    corpus = read_corpus(given.data)
    writers = WriterSplit.load(given.split, known=corpus.writers).parts[given.part]
    samples = [s for s in corpus.samples if s.writer in writers and s.prompt in PROMPTS]
    examiner = Examiner(given.model, given.threads)
    verdicts: dict[str, list[Verdict]] = {kind: [] for kind in KINDS}
    authors = []
    for own, later, other, share in tqdm(drawn(samples, given.pages), total=given.pages):
        scan, *others = (next(iter(read_scans(sample.path))) for sample in (own, later, other))
        pictures = [scan.image, *(joined(scan.image, second.image, share) for second in others)]
        for kind, picture in zip(KINDS, pictures, strict=True):
            verdicts[kind].append(examiner.examine_page(segment_scan(replace(scan, image=picture))))
        authors.append(own.writer)
    result = {
        "model": examiner.model.id,
        "part": given.part,
        "writers": len(set(authors)),
        "seed": SEED,
        "pages": given.pages,
        "kinds": {kind: rates(found) for kind, found in verdicts.items()},
        "auc": {
            f"{one} against {base}": compared(verdicts[one], verdicts[base], np.array(authors))
            for one, base in ((KINDS[2], KINDS[0]), (KINDS[2], KINDS[1]), (KINDS[1], KINDS[0]))
        },
    }
    benchmark.write(result)


def drawn(samples: list[Sample], count: int) -> Iterator[tuple[Sample, Sample, Sample, float]]:
    """Three pages of one text: by a writer, by the same on another day, by another; the share replaced."""
    random = np.random.default_rng(SEED)
    firsts = [s for s in samples if any(_other_day(s, later) for later in samples)]
    for _ in range(count):
        own = firsts[random.integers(len(firsts))]
        later = [s for s in samples if _other_day(own, s)]
        others = [s for s in samples if s.prompt == own.prompt and s.writer != own.writer]
        share = float(random.choice(FOREIGN))
        yield own, later[random.integers(len(later))], others[random.integers(len(others))], share


def _other_day(one: Sample, other: Sample) -> bool:
    return (one.writer, one.prompt) == (other.writer, other.prompt) and one.session != other.session


def joined(above: NDArray[np.uint8], below: NDArray[np.uint8], share: float) -> NDArray[np.uint8]:
    """The first lines of one page and the last ``share`` of the other's, on paper as wide as the wider."""
    pieces = above[: _between_lines(above, 1 - share)], below[_between_lines(below, 1 - share) :]
    width = max(piece.shape[1] for piece in pieces)
    widened = [
        cv2.copyMakeBorder(piece, 0, 0, 0, width - piece.shape[1], cv2.BORDER_REPLICATE) for piece in pieces
    ]
    return np.vstack(widened)


def _between_lines(picture: NDArray[np.uint8], share: float) -> int:
    """The row of pixels that has this share of the lines above it."""
    words = segment(picture).words
    lines = sorted({word.line for word in words})
    at = int(np.clip(round(share * len(lines)), 1, len(lines) - 1))
    ends = np.median([word.box.y + word.box.height for word in words if word.line == lines[at - 1]])
    begins = np.median([word.box.y for word in words if word.line == lines[at]])
    return int((ends + begins) / 2)


def rates(found: list[Verdict]) -> dict[str, float]:
    """How often a page is said to support several hands, strongly so, and to show them."""
    ratios = np.array([verdict.log10_lr for verdict in found])
    several = [len({word.hand for word in verdict.words}) > 1 for verdict in found]
    return {
        "LR above 1": round(float((ratios > 0).mean()), 4),
        "LR above 10": round(float((ratios > 1).mean()), 4),
        "more than one hand marked": round(float(np.mean(several)), 4),
    }


def compared(one: list[Verdict], base: list[Verdict], authors: NDArray[np.str_]) -> dict[str, object]:
    """AUC of the scores, with an interval over the writers of the pages' first lines."""
    scores = np.array([[verdict.score for verdict in found] for found in (one, base)])

    def area(rows: NDArray[np.intp]) -> float:
        return auroc(np.repeat([True, False], rows.size), scores[:, rows].ravel())

    found = bootstrap_interval(authors, area, repeats=300, seed=SEED)
    return {"value": round(found.value, 4), "interval": [round(found.low, 4), round(found.high, 4)]}


if __name__ == "__main__":
    main()
