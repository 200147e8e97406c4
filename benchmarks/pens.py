"""Does a word keep its writer when the pen changes?

Texts of held-out writers of pen strokes are drawn with five kinds of pen. Page pairs of one writer with two
pens, of two texts, are set against page pairs by two people. Pages half and half, by one writer with two pens
and by two people with one kind of pen, are scored as `handshift examine` does. The variance of page vectors
is shared out between pen, text and writer, that of CSAFE pages between session and writer. The pages of
`pens`, whose writers used several pens, are listed.

Example: python benchmarks/pens.py --data databases --model words-3 --model words-4
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from compared_networks import embedders, networks_benchmark
from numpy.typing import NDArray

from handshift.corpus.databases.reading import read_database
from handshift.corpus.databases.record import Record
from handshift.corpus.databases.splits import load_split
from handshift.corpus.rendering.pens import KINDS, random_pen
from handshift.corpus.rendering.strokes import draw_strokes, read_strokes
from handshift.detect.detector import Detector
from handshift.embedding.crops.record_cut import record_image
from handshift.embedding.crops.scaling import Scaling
from handshift.embedding.crops.word_crop import is_legible, pen_scale, word_crops
from handshift.embedding.crops.writing_scale import scaled_crops, writing_scale
from handshift.embedding.embedder import Embedder, unit_rows
from handshift.metrics import auroc
from handshift.models.shipped_models import find_model
from handshift.page.segment import segment

SEED, TEXTS = 2026, 2
Networks = dict[str, tuple[Embedder, bool]]
"""By name: the network, and whether its words are drawn at the scale of the writing."""


@dataclass(frozen=True)
class Page:
    """A page's words and their mean vector, by whom, which text or session, with which pen."""

    writer: str
    text: str
    pen: str
    vectors: dict[str, NDArray[np.float64]]
    """Unit mean, by network."""
    rows: dict[str, NDArray[np.float32]]
    """(words, dimensions), by network."""


def main() -> None:
    benchmark = networks_benchmark(__file__, __doc__)
    given = benchmark.begin()
    networks = {name: (one, one.scaling is Scaling.WRITING) for name, one in embedders(given).items()}
    strokes, days, real = _strokes(given, networks), _days(given, networks), _real(given, networks)
    result: dict[str, object] = {"part": given.part}
    for name in networks:
        result[name] = {
            "strokes": _pairs(strokes, name) | {"variance": _variance(strokes, name)},
            **({"half and half": _halves(strokes, name, given.threads)} if name in given.model else {}),
            "sessions": {"variance": _variance(days, name)},
            "pens": _listed(real, name),
        }
    print(json.dumps(result, indent=1))
    benchmark.write(result)


def _page(image: NDArray[np.uint8], networks: Networks, writer: str, text: str, pen: str) -> Page | None:
    found = segment(image)
    words = [word for word in found.words if is_legible(word, found.letter_size)]
    if len(words) < 5:
        return None
    means, rows = {}, {}
    for name, (embedder, by_writing) in networks.items():
        scale = writing_scale([word.ink for word in words]) if by_writing else pen_scale(found)
        crops = scaled_crops(words, scale) if by_writing else word_crops(words, scale)
        rows[name] = embedder.embed_crops(crops)
        mean = unit_rows(rows[name]).mean(axis=0)
        means[name] = mean / np.linalg.norm(mean)
    return Page(writer, text, pen, means, rows)


def _strokes(given: argparse.Namespace, networks: Networks) -> list[Page]:
    database = read_database(given.data, "iam-strokes")
    part = database.written_by(load_split(database, given.splits).parts[given.part])
    texts: dict[str, list[Record]] = defaultdict(list)
    for record in part.records:
        texts[record.writer].append(record)
    pages = []
    for number, records in enumerate(texts.values()):
        for record in records[:TEXTS]:
            for kind in KINDS:
                rng = np.random.default_rng([SEED, number, record.index, len(kind)])
                image = draw_strokes(read_strokes(record.path, record.index), rng, random_pen(rng, kind))
                pages.append(_page(image, networks, record.writer, record.page, kind))
    return [page for page in pages if page]


def _days(given: argparse.Namespace, networks: Networks) -> list[Page]:
    """Two pages of each of two sessions of the CSAFE writers."""
    database = read_database(given.data, "csafe")
    part = database.written_by(load_split(database, given.splits).parts[given.part])
    by_day: dict[tuple[str, int], list[Record]] = defaultdict(list)
    for record in part.records:
        if record.prompt != "PHR":
            by_day[record.writer, record.session].append(record)
    pages = [
        _page(record_image(record), networks, writer, str(session), record.page)
        for (writer, session), records in by_day.items()
        if session <= 2
        for record in records[:2]
    ]
    return [page for page in pages if page]


def _real(given: argparse.Namespace, networks: Networks) -> list[Page]:
    records = read_database(given.data, "pens").records
    pages = [_page(record_image(r), networks, r.writer, r.page, r.pen or "") for r in records]
    return [page for page in pages if page]


def _pairs(pages: list[Page], name: str) -> dict[str, float]:
    scores = defaultdict(list)
    for one, two in combinations(pages, 2):
        if one.text == two.text:
            continue
        kind = "two people" if one.writer != two.writer else "one pen" if one.pen == two.pen else "two pens"
        scores[kind].append(float(one.vectors[name] @ two.vectors[name]))
    strangers = scores.pop("two people")
    return {
        f"auc, {kind}": round(auroc(np.repeat([1, 0], [len(own), len(strangers)]), [*own, *strangers]), 4)
        for kind, own in sorted(scores.items())
    } | {"writers": len({page.writer for page in pages})}


def _halves(pages: list[Page], name: str, threads: int) -> dict[str, object]:
    """How many pages of either kind pass the score that 5 % of the pages by one writer with one pen pass."""
    detector = find_model(name).detector(threads)
    texts: dict[tuple[str, str], list[Page]] = defaultdict(list)
    for page in pages:
        texts[page.writer, page.text].append(page)
    scores: dict[str, list[float]] = {"one pen": [detector.score(page.rows[name]).score for page in pages]}
    for own in texts.values():
        for one, two in pairwise(own):
            scores.setdefault("two pens", []).append(_joined(detector, one.rows[name], two.rows[name]))
    of_pen = defaultdict(list)
    for page in pages:
        of_pen[page.pen].append(page)
    for own in of_pen.values():
        for one, two in pairwise(own):
            if one.writer != two.writer:
                scores.setdefault("two people", []).append(_joined(detector, one.rows[name], two.rows[name]))
    limit = float(np.quantile(scores["one pen"], 0.95))
    return {
        kind: {"pages": len(found), "flagged": round(float((np.array(found) > limit).mean()), 4)}
        for kind, found in scores.items()
    }


def _joined(detector: Detector, one: NDArray[np.float32], two: NDArray[np.float32]) -> float:
    """The score of the first half of one page's words with the second half of another's."""
    return detector.score(np.concatenate([one[: len(one) // 2], two[len(two) // 2 :]])).score


def _variance(pages: list[Page], name: str) -> dict[str, float]:
    """Shares of the variance of page vectors: within a text or session, between these, between writers."""
    whole = np.mean([page.vectors[name] for page in pages], axis=0)
    texts, writers = defaultdict(list), defaultdict(list)
    for page in pages:
        texts[page.writer, page.text].append(page.vectors[name])
        writers[page.writer].append(page.vectors[name])
    within = np.mean(
        [np.square(np.array(own) - np.mean(own, axis=0)).sum(axis=1).mean() for own in texts.values()]
    )
    of_writer = np.mean(
        [np.square(np.array(own) - np.mean(own, axis=0)).sum(axis=1).mean() for own in writers.values()]
    )
    total = np.mean([np.square(page.vectors[name] - whole).sum() for page in pages])
    shares = {
        "within": within,
        "between texts or sessions": of_writer - within,
        "between writers": total - of_writer,
    }
    return {part: round(float(value / total), 4) for part, value in shares.items()}


def _listed(pages: list[Page], name: str) -> list[dict[str, object]]:
    """Every pair of one writer's pages with two pens, and the share of strangers' pairs less alike."""
    strangers = np.array(
        [float(a.vectors[name] @ b.vectors[name]) for a, b in combinations(pages, 2) if a.writer != b.writer]
    )
    listed = []
    for one, two in combinations(pages, 2):
        if one.writer == two.writer and one.pen != two.pen:
            cosine = float(one.vectors[name] @ two.vectors[name])
            below = round(float((strangers < cosine).mean()), 4)
            pens = f"{one.pen} / {two.pen}"
            listed.append(
                {"writer": one.writer, "pens": pens, "cosine": round(cosine, 4), "strangers below": below}
            )
    return listed


if __name__ == "__main__":
    main()
