"""Hands linked across documents, substituted pages, verification, and whether hands and verify agree.

Documents are drawn from whole pages of held-out writers of several databases and analysed as `handshift
hands` does. Of CSAFE 2–20 pages by 1–10 writers, any session; of IAM and copiste 2–10 pages, at most two a
writer. Pages have 40 words and more; those of CSAFE's short phrases (PHR) have a row of their own. Beside:
agglomerative clustering of cosine distances and spectral clustering with the largest eigengap, tuned on
validation documents, and the connected components of `verify`.

Each piece (a database and what is measured of it) is journalled in ``--cache`` and kept by the next call with
the same model and code. ``--failures`` prints the pages behind every error.

Example: python benchmarks/documents.py --model words-4 --vectors runs/vectors --data ../shared/data
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from database_pages import DATABASES, KnownPage, known_pages, page_options
from drawn_documents import Document, Found, Model, mixed_documents, page_pairs, substitutions
from journalled_pieces import add, rows
from linking_baselines import Tuned, b_cubed, tuned_baselines
from result_file import Benchmark
from scipy.sparse.csgraph import connected_components

from handshift.metrics import bootstrap_interval, cllr, cllr_cal
from handshift.study.provenance import package_hash

SEED, FEWEST, PHRASE, REPEATS, TUNED_ON = 2026, 40, "PHR", 300, 30
PUBLISHED = "random forest on page pairs, FPR 4.2 %, FNR 8.9 % (another protocol and other pages)"
MOST_LISTED = 60
CODE = ("documents", "drawn_documents", "linking_baselines", "database_pages")
Item = dict[str, Any]


def main() -> None:
    benchmark = Benchmark(__file__, __doc__, inputs=("model", "vectors", "sizes"))
    page_options(benchmark.options)
    benchmark.options.add_argument("--documents", type=int, default=190, help="of each database")
    benchmark.options.add_argument("--pairs", type=int, default=600, help="page pairs of either kind")
    benchmark.options.add_argument("--failures", action="store_true", help="print what went wrong")
    given = benchmark.begin()
    model = Model(given.model)
    result: dict[str, Any] = {"model": model.id, "part": given.part, "seed": SEED, "published": PUBLISHED}
    result["sizes"] = given.sizes
    pieces = Pieces(given, model)
    for database in given.database or DATABASES:
        result |= _measured(given, database, model, pieces)
    benchmark.write(result)


class Pieces:
    """Finished pieces of this model by this code."""

    def __init__(self, given: Namespace, model: Model) -> None:
        depends = (
            model.fingerprint,
            package_hash(),
            given.part,
            given.documents,
            given.pairs,
            bool(given.vectors),
            given.sizes,
        )
        code = b"".join(Path(__file__).with_name(f"{name}.py").read_bytes() for name in CODE)
        self._of = sha256(repr(depends).encode() + code).hexdigest()[:16]
        self._state = given.cache / "documents.jsonl"
        self._state.parent.mkdir(parents=True, exist_ok=True)
        self._known = {row["piece"]: row["found"] for row in rows(self._state) if row["of"] == self._of}
        self._failures = given.failures

    def get(self, piece: str, measure: Callable[[], tuple[dict[str, Any], list[Item]]]) -> dict[str, Any]:
        """The figures of one piece, measured unless they are known."""
        if piece not in self._known:
            figures, failures = measure()
            self._known[piece] = figures
            add(
                self._state,
                {"piece": piece, "of": self._of, "found": figures, "failures": failures[:MOST_LISTED]},
            )
            if self._failures:
                for one in failures:
                    print("  ", json.dumps(one))
        print(piece, json.dumps(self._known[piece]), flush=True)
        return dict(self._known[piece])


def _measured(given: Namespace, database: str, model: Model, pieces: Pieces) -> dict[str, Any]:
    every = known_pages(given, database)
    pages = [page for page in every if page.words >= FEWEST and page.record.prompt != PHRASE]
    short = [page for page in every if page.record.prompt == PHRASE]
    most, each = (20, len(pages)) if database == "csafe" else (10, 2)

    def documents() -> tuple[dict[str, Any], list[Item]]:
        drawn = mixed_documents(pages, given.documents, most, each, SEED)
        known = [page for page in known_pages(given, database, "validation") if page.words >= FEWEST]
        known = [page for page in known if page.record.prompt != PHRASE]
        return _documents(drawn, tuned_baselines(mixed_documents(known, TUNED_ON, most, each, SEED)), model)

    found = {
        "writers": len({page.writer for page in pages}),
        "pages": len(pages),
        "pairs": pieces.get(f"{database}, pairs", lambda: _pairs(pages, model, given.pairs)),
        **pieces.get(f"{database}, documents", documents),
    }
    substituted = pieces.get(f"{database}, substituted", lambda: _substituted(pages, model, given.documents))
    if substituted["documents"]:
        found["substituted"] = substituted
    if not short:
        return {database: found}
    phrases = pieces.get(f"{database}, phrases", lambda: _pairs(short, model, given.pairs))
    return {database: found, f"{database}, phrases": phrases}


def _pairs(pages: Sequence[KnownPage], model: Model, count: int) -> tuple[dict[str, Any], list[Item]]:
    """Two pages: joined or kept apart by hands; likelihood ratios of verify, with their cost."""
    pairs = page_pairs(pages, count, SEED)
    truth, owner = pairs.same, pairs.owner
    ratio = np.array([one.ratios(model)[0, 1] for one in pairs.documents])
    found = [Found.of(one, model) for one in pairs.documents]
    joined = np.array([one.main[0] == one.main[1] for one in found])
    undivided = np.array([not one.divided for one in found])
    figures = {
        "pairs": {"one writer": int(truth.sum()), "two writers": int((~truth).sum())},
        "one_writer_means": "two days" if pairs.two_days else "two pages of one sitting or unknown days",
        "one_told_as_one": _interval(owner[truth], joined[truth]),
        "two_told_as_two": _interval(owner[~truth], ~joined[~truth]),
        "cllr": _of(owner, lambda rows: float(cllr(truth[rows], ratio[rows]))),
        "cllr_cal": _of(owner, lambda rows: float(cllr_cal(truth[rows], ratio[rows]))),
        "misleading": {
            "one writer, log10 LR below 0": _interval(owner[truth], ratio[truth] < 0),
            "one writer, log10 LR below -1": _interval(owner[truth], ratio[truth] < -1),
            "two writers, log10 LR above 0": _interval(owner[~truth], ratio[~truth] > 0),
            "two writers, log10 LR above 1": _interval(owner[~truth], ratio[~truth] > 1),
        },
        "pairs_with_a_page_that_hands_divides": round(float(np.mean(~undivided)), 4),
        "sign_of_hands_is_that_of_verify": round(float(np.mean(joined == (ratio > 0))), 4),
        "the_same_where_no_page_is_divided": round(float(np.mean((joined == (ratio > 0))[undivided])), 4),
    }
    failures = [
        _pair(document, lr, said, own)
        for document, lr, said, own in zip(pairs.documents, ratio, joined, truth, strict=True)
        if said != own
    ]
    return figures, failures


def _pair(
    document: Document, log10_lr: float, joined: bool, one_writer: bool, at: tuple[int, int] = (0, 1)
) -> Item:
    pages = [document.pages[place] for place in at]
    return {
        "pages": [page.record.page for page in pages],
        "words": [page.words for page in pages],
        "log10_lr": round(float(log10_lr), 2),
        "joined": bool(joined),
        "one_writer": bool(one_writer),
    }


def _documents(
    documents: Sequence[Document], tuned: dict[str, Tuned], model: Model
) -> tuple[dict[str, Any], list[Item]]:
    """The product and the baselines on mixed documents, and whether hands and verify agree on their pages."""
    found = [Found.of(one, model) for one in documents]
    labelled = {
        "handshift": ([one.main for one in found], [one.writers for one in found]),
        "components of verify": _counted(_components(one, model) for one in documents),
        **{name: _counted(method(one) for one in documents) for name, method in tuned.items()},
    }
    figures = {name: _grouping(documents, *said) for name, said in labelled.items()}
    failures = [
        {"writers": [page.writer for page in one.pages], "found": said.main.tolist(), "divided": said.divided}
        for one, said in zip(documents, found, strict=True)
        if b_cubed(one.truth, said.main) < 1 or said.writers != one.truth.max() + 1
    ]
    agreement = _agreement(documents, found, model)
    chosen = {name: one.value for name, one in tuned.items()}
    everything = {"documents": len(documents), **figures}
    return {"documents": everything, "chosen_on_validation": chosen, "agreement": agreement}, failures


def _counted(labels: Any) -> tuple[list[np.ndarray], list[int]]:
    every = list(labels)
    return every, [int(np.unique(one).size) for one in every]


def _components(document: Document, model: Model) -> np.ndarray:
    return np.asarray(connected_components(document.ratios(model) > 0)[1])


def _grouping(
    documents: Sequence[Document], labels: Sequence[np.ndarray], number: Sequence[int]
) -> dict[str, Any]:
    owner = np.array([document.pages[0].writer for document in documents])
    sizes = np.array([len(document.pages) for document in documents])
    writers = np.array([document.truth.max() + 1 for document in documents])
    f1 = np.array([b_cubed(one.truth, own) for one, own in zip(documents, labels, strict=True)])
    off = np.abs(np.array(number) - writers)
    by_size = {int(size): round(float(f1[sizes == size].mean()), 4) for size in np.unique(sizes)}
    return {
        "b_cubed_f1": _interval(owner, f1),
        "worst_size": min(by_size.values()),
        "by_size": by_size,
        "within_one": _interval(owner, off <= 1),
        "exact": _interval(owner, off == 0),
    }


def _agreement(documents: Sequence[Document], found: Sequence[Found], model: Model) -> dict[str, Any]:
    """Page pairs of documents with |log10 LR| of 1 and more: joined exactly where the ratio is positive."""
    agreed, against = [], []
    for number, (document, said) in enumerate(zip(documents, found, strict=True)):
        ratios = document.ratios(model)
        for one, two in zip(*np.triu_indices(len(said.main), 1), strict=True):
            if abs(ratios[one, two]) >= 1:
                joined = said.main[one] == said.main[two]
                agreed.append(joined == (ratios[one, two] > 0))
                if not agreed[-1]:
                    truth = document.truth[one] == document.truth[two]
                    row = _pair(document, ratios[one, two], joined, truth, (int(one), int(two)))
                    against.append({"document": number, "of_pages": len(document.pages), **row})
    right = sum(one["joined"] == one["one_writer"] for one in against)
    return {
        "pairs": len(agreed),
        "agree": round(float(np.mean(agreed)), 4),
        "against": len(against),
        "of_which_hands_is_right": right,
        "others": against[:MOST_LISTED],
    }


def _substituted(pages: Sequence[KnownPage], model: Model, count: int) -> tuple[dict[str, Any], list[Item]]:
    """Ten pages by one writer, with and without one page by another."""
    said: dict[str, list[bool]] = {name: [] for name in ("found", "alone", "alarm", "any", "divided")}
    owner, failures = [], []
    for one in substitutions(pages, count, 10, SEED):
        intact, changed = Found.of(one.intact, model), Found.of(one.substituted, model)
        said["found"].append(one.found(changed))
        said["alone"].append(one.found(changed) and changed.writers == 2)
        said["alarm"].append(np.unique(intact.main).size > 1)
        said["any"].append(intact.writers > 1)
        said["divided"].append(intact.divided > 0)
        owner.append(one.intact.pages[0].writer)
        if intact.writers > 1:
            names = [page.record.page for page in one.intact.pages]
            failures.append({"intact": names, "found": intact.main.tolist(), "divided": intact.divided})
        if not said["alone"][-1]:
            names = [page.record.page for page in one.substituted.pages]
            told = {"found": changed.main.tolist(), "divided": changed.divided}
            failures.append({"substituted": names, "place": one.place, **told})
    if not owner:
        return {"documents": 0}, []
    figures = {name: _interval(np.array(owner), np.array(values)) for name, values in said.items()}
    return {
        "documents": count,
        "found_and_no_other_page": figures["found"],
        "and_no_page_divided": figures["alone"],
        "intact_with_a_page_set_apart": figures["alarm"],
        "intact_with_several_hands_anywhere": figures["any"],
        "intact_with_a_page_divided": figures["divided"],
    }, failures


def _interval(owner: np.ndarray, values: np.ndarray) -> dict[str, Any]:
    return _of(owner, lambda rows: float(values[rows].mean()))


def _of(owner: np.ndarray, figure: Callable[[np.ndarray], float]) -> dict[str, Any]:
    found = bootstrap_interval(owner, figure, repeats=REPEATS, seed=SEED)
    return {"value": round(found.value, 4), "interval": [round(found.low, 4), round(found.high, 4)]}


if __name__ == "__main__":
    main()
