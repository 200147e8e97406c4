"""How well word networks tell the held-out writers of every database apart, side by side on the same words.

Of each writer up to three sheets are taken, of different sessions where there are any, and eight words of
each. Pairs are never of one sheet. Every network reads words as when it was trained: by the width of the
sheet, or by the scale of the writing.

Example: python benchmarks/databases.py --data databases --part test --model words-3 --model words-4
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import cv2
import numpy as np
from compared_networks import embedders, networks_benchmark
from numpy.typing import NDArray

from handshift.corpus.databases.layouts import layout_named
from handshift.corpus.databases.reading import find_databases, read_database
from handshift.corpus.databases.record import Database, Holds, Record
from handshift.corpus.databases.splits import load_split
from handshift.embedding.crops.record_cut import record_image, record_words
from handshift.embedding.crops.scaling import Scaling
from handshift.embedding.crops.word_crop import LETTER_SIZE, pen_scale, word_crops
from handshift.embedding.crops.writing_scale import SPREAD, is_whole, scaled_crops, writing_scale
from handshift.embedding.embedder import unit_rows
from handshift.embedding.train.databases_examination import HeldOut
from handshift.metrics import auroc, bootstrap_interval, eer
from handshift.page.segment import segment

SEED, SHEETS, WORDS, WRITERS, REPEATS = 2026, 3, 8, 60, 200
SCANNED_ALIKE = ("csafe", "iam", "copiste", "khatt")
"""All pages have 150 dpi, so that the size of the writing is known."""
SIZE_WEIGHT, PAGE_SIZE_WEIGHT, SIZE_LIMIT = 1.0, 0.2, 0.5
"""Of a difference in log size against a cosine of words and of sheets, and from where on a larger difference
counts no more."""

MANNERS = {Scaling.SHEET: "by_sheet", Scaling.WRITING: "by_writing"}


@dataclass(frozen=True)
class Cut:
    """The words of one record, drawn in both manners."""

    record: Record
    by_sheet: NDArray[np.uint8]
    by_writing: NDArray[np.uint8]
    size: float
    """Logarithm of the vertical spread of the writing, in pixels of the scan."""


def main() -> None:
    benchmark = networks_benchmark(__file__, __doc__)
    benchmark.options.add_argument("--database", action="append", help="only this one; may be repeated")
    given = benchmark.begin()
    networks = {name: (one, MANNERS[one.scaling]) for name, one in embedders(given).items()}
    result: dict[str, object] = {"part": given.part, "seed": SEED}
    print(f"{'database':14}{'writers':>8}{'words':>7}  " + "".join(f"{name[-30:]:>46}" for name in networks))
    means = defaultdict(list)
    for database in _databases(given):
        name = database.name
        parts = load_split(database, given.splits).parts
        writers = [writer for part in given.part.split("+") for writer in parts[part]]
        cuts = cut_words(database, writers, given.threads)
        figures = {}
        for network, (embedder, manner) in networks.items():
            held_out, size = _held_out(cuts, manner)
            vectors = unit_rows(embedder.embed_crops(held_out.crops))
            figures[network] = _figures(held_out, vectors)
            if manner == "by_writing" and name in SCANNED_ALIKE:
                figures[network] |= _with_size(held_out, vectors, size)
            means[network].append(figures[network]["words"]["auc"]["value"])
        result[name] = {"writers": len(set(held_out.writer)), "words": len(held_out.writer), **figures}
        shown = "".join(f"{_shown(each):>46}" for each in figures.values())
        print(f"{name:14}{len(set(held_out.writer)):8}{len(held_out.writer):7}  {shown}", flush=True)
    result["mean_word_auc"] = {network: round(float(np.mean(values)), 4) for network, values in means.items()}
    print("mean word AUC", result["mean_word_auc"])
    benchmark.write(result)


def _databases(given: argparse.Namespace) -> list[Database]:
    if given.database:
        return [read_database(given.data, name) for name in given.database]
    return [one for one in find_databases(given.data) if layout_named(one.name).trainable]


def cut_words(database: Database, writers: list[str], workers: int) -> list[Cut]:
    rng = np.random.default_rng(SEED)
    sheets: dict[str, dict[str, list[Record]]] = defaultdict(dict)
    for record in database.written_by(writers).records:
        sheets[record.writer].setdefault(record.page, []).append(record)
    order = sorted(sheets, key=lambda writer: (len(sheets[writer]) < 2, rng.random()))[:WRITERS]
    records = [record for writer in order for record in _chosen(sheets[writer], rng)]
    if workers == 1:
        return [_both(record) for record in records]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return list(pool.map(_both, records, chunksize=8))


def _chosen(sheets: dict[str, list[Record]], rng: np.random.Generator) -> list[Record]:
    """The records of three sheets, one of each session first; of single word pictures, of 24."""
    names = list(rng.permutation(list(sheets)))
    seen: dict[int, int] = defaultdict(int)
    turn = {}
    for name in names:
        session = sheets[name][0].session
        turn[name], seen[session] = seen[session], seen[session] + 1
    names.sort(key=lambda name: turn[name])
    alone = len(sheets) > 3 and all(len(own) == 1 and own[0].holds is Holds.WORD for own in sheets.values())
    return [record for name in names[: SHEETS * (WORDS if alone else 1)] for record in sheets[name]]


def _both(record: Record) -> Cut:
    cv2.setNumThreads(1)
    words = record_words(record)
    scale = writing_scale([word.ink for word in words])
    words = [word for word in words if is_whole(word, scale)]
    scale = writing_scale([word.ink for word in words])
    found = segment(record_image(record))
    if record.holds is Holds.WORD:
        of_sheet = LETTER_SIZE / (found.letter_size or (words[0].ink.shape[0] / 2 if words else 1.0))
    else:
        of_sheet = pen_scale(found) if found.letter_size else 1.0
    size = float(np.log(SPREAD / scale))
    return Cut(record, word_crops(words, of_sheet), scaled_crops(words, scale), size)


def _held_out(cuts: list[Cut], manner: str) -> tuple[HeldOut, NDArray[np.float64]]:
    """Eight words of each sheet, the same in both manners, and the size of each one's writing."""
    rng = np.random.default_rng(SEED)
    by_sheet: dict[str, list[tuple[Cut, NDArray[np.uint8]]]] = defaultdict(list)
    for cut in cuts:
        by_sheet[cut.record.page] += [(cut, crop) for crop in getattr(cut, manner)]
    kept = [own[at] for own in by_sheet.values() for at in sorted(rng.permutation(len(own))[:WORDS])]
    held_out = HeldOut(
        np.stack([crop for _, crop in kept]),
        np.array([cut.record.writer for cut, _ in kept]),
        np.array([cut.record.page for cut, _ in kept]),
        np.array([cut.record.session for cut, _ in kept]),
    )
    return held_out, np.array([cut.size for cut, _ in kept])


def _figures(held_out: HeldOut, vectors: NDArray[np.float32]) -> dict[str, dict[str, Any]]:
    figures = {"words": _measured(held_out.writer, *held_out.pairs(), vectors)}
    if (pages := _pages(held_out, vectors)) is not None:
        figures["pages"] = _measured(pages[0].writer, *pages[0].pairs(), pages[1])
    return figures


def _pages(held_out: HeldOut, vectors: NDArray[np.float32]) -> tuple[HeldOut, NDArray[np.float32]] | None:
    """One row for each sheet, with its mean vector; None where most sheets have a single word."""
    names, first, inverse = np.unique(held_out.page, return_index=True, return_inverse=True)
    if len(names) >= 0.7 * len(vectors):
        return None
    sums = np.stack([np.bincount(inverse, column) for column in vectors.T], axis=1)
    means = (sums / np.linalg.norm(sums, axis=1, keepdims=True)).astype(np.float32)
    return HeldOut(held_out.crops[first], held_out.writer[first], names, held_out.session[first]), means


def _measured(
    writer: NDArray[np.str_],
    one: NDArray[np.intp],
    two: NDArray[np.intp],
    same: NDArray[np.bool_],
    vectors: NDArray[np.float32],
) -> dict[str, Any]:
    rng = np.random.default_rng(SEED)
    strangers = np.flatnonzero(~same)
    at = np.concatenate(
        [np.flatnonzero(same), rng.choice(strangers, min(strangers.size, 20_000), replace=False)]
    )
    scores, truth = np.einsum("pd,pd->p", vectors[one[at]], vectors[two[at]]), same[at]
    owner = writer[one[at]]
    figures: dict[str, Any] = {"pairs": {"same": int(truth.sum()), "different": int((~truth).sum())}}
    figures["auc"] = _interval(owner, lambda at: auroc(truth[at], scores[at]))
    figures["eer"] = _interval(owner, lambda at: eer(truth[at], scores[at]))
    return figures


def _interval(owner: NDArray[np.str_], figure: Callable[[NDArray[np.intp]], float]) -> dict[str, Any]:
    """A figure with its interval over writers."""
    found = bootstrap_interval(owner, figure, repeats=REPEATS, seed=SEED)
    return {"value": round(found.value, 4), "interval": [round(found.low, 4), round(found.high, 4)]}


def _with_size(held_out: HeldOut, vectors: NDArray[np.float32], size: NDArray[np.float64]) -> dict[str, Any]:
    """Of words and of sheets, AUC of cosine − w · min(|Δ log size|, 0.5), and of size alone."""
    figures = {"words and size": _sized(held_out, vectors, size, SIZE_WEIGHT)}
    if (pages := _pages(held_out, vectors)) is not None:
        of_page = dict(zip(held_out.page, size, strict=True))
        sizes = np.array([of_page[name] for name in pages[0].page])
        figures["pages and size"] = _sized(*pages, sizes, PAGE_SIZE_WEIGHT)
    return figures


def _sized(
    held_out: HeldOut, vectors: NDArray[np.float32], size: NDArray[np.float64], weight: float
) -> dict[str, Any]:
    one, two, same = held_out.pairs()
    apart = np.minimum(np.abs(size[one] - size[two]), SIZE_LIMIT)
    cosines = np.einsum("pd,pd->p", vectors[one], vectors[two])
    both, alone = auroc(same, cosines - weight * apart), auroc(same, -apart)
    return {"auc": round(both, 4), "size alone": round(alone, 4)}


def _shown(figures: dict[str, dict[str, Any]]) -> str:
    words = figures["words"]["auc"]
    text = "words {:.3f} [{:.3f}–{:.3f}]".format(words["value"], *words["interval"])
    text += f" pages {figures['pages']['auc']['value']:.3f}" if "pages" in figures else ""
    for kind in ("words", "pages"):
        if (sized := figures.get(f"{kind} and size")) is not None:
            text += f" +size {sized['auc']:.3f}"
    return text


if __name__ == "__main__":
    main()
