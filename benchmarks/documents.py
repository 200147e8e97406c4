"""Hands linked across documents, substituted pages, verification, and whether hands and verify agree.

Documents are drawn from whole pages of held-out writers of several databases, read and analysed as `handshift
hands` does. Of CSAFE 2–20 pages by 1–10 writers, any session; of IAM and copiste 2–10 pages, at most two a
writer. Pages have 40 words and more; those of CSAFE's short phrases (PHR) have a row of their own. Beside the
product: agglomerative clustering of cosine distances and spectral clustering with the largest eigengap, tuned
on validation documents, and the connected components of `verify`.

Example: python benchmarks/documents.py --data ../shared/data --cache runs/pages
"""

from __future__ import annotations

from argparse import Namespace
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from database_pages import DATABASES, KnownPage, known_pages, page_options
from result_file import Benchmark
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import AgglomerativeClustering, SpectralClustering

from handshift.attribution.group_evidence import GroupEvidence
from handshift.attribution.page_hands import analyse_page
from handshift.attribution.page_linking import LinkedPages, VectorPage, link_pages
from handshift.attribution.partition_prior import PartitionPrior
from handshift.attribution.same_writer import SameWriter
from handshift.embedding.prototypes import prototypes
from handshift.metrics import bootstrap_interval, cllr, cllr_cal
from handshift.models.shipped_models import find_model

SEED, FEWEST, PHRASE, REPEATS = 2026, 40, "PHR", 300
PUBLISHED = "random forest on page pairs, FPR 4.2 %, FNR 8.9 % (another protocol and other pages)"
Method = Callable[["Document"], np.ndarray]


class Document:
    """Pages, who wrote them, and what the product finds."""

    def __init__(self, pages: Sequence[KnownPage], model: Model) -> None:
        self.pages, self._model = pages, model
        self.truth = np.unique([page.writer for page in pages], return_inverse=True)[1]

    @property
    def means(self) -> np.ndarray:
        """(pages, dimensions) unit mean vectors."""
        means = np.array([page.vectors.mean(axis=0) for page in self.pages])
        return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True))

    def linked(self) -> LinkedPages:
        """As `handshift hands` links them."""
        return link_pages(
            [self._model.analysed(page) for page in self.pages], self._model.same, self._model.prior
        )

    def ratios(self) -> np.ndarray:
        """(pages, pages) log10 LR of `verify`."""
        return GroupEvidence(self._model.same, prototypes([page.vectors for page in self.pages])).pairs()


class Model:
    """The product's parts, and every page analysed once."""

    def __init__(self, name: str | None) -> None:
        shipped = find_model(name)
        self.id, self.plda, self.hands = shipped.card.id, shipped.covariances(), shipped.hands()
        self.same = SameWriter.of(self.plda, shipped.comparison())
        self.prior = PartitionPrior()
        self._analysed: dict[str, VectorPage] = {}

    def analysed(self, page: KnownPage) -> VectorPage:
        """The page's hands, found by itself."""
        if page.record.page not in self._analysed:
            found = analyse_page(page.vectors, self.plda, self.hands)
            self._analysed[page.record.page] = VectorPage(found, page.vectors)
        return self._analysed[page.record.page]


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    page_options(benchmark.options)
    benchmark.options.add_argument("--documents", type=int, default=100, help="of each database")
    benchmark.options.add_argument("--pairs", type=int, default=600, help="page pairs of either kind")
    benchmark.options.add_argument("--database", action="append", help="only this one; may be repeated")
    given = benchmark.begin()
    model = Model(given.model)
    result: dict[str, Any] = {"model": model.id, "part": given.part, "seed": SEED, "published": PUBLISHED}
    for database in given.database or DATABASES:
        pages = known_pages(given, database)
        long = [page for page in pages if page.words >= FEWEST and page.record.prompt != PHRASE]
        result[database] = _measured(given, database, long, model)
        short = [page for page in pages if page.record.prompt == PHRASE]
        if short:
            result[f"{database}, phrases"] = _pairs(short, model, given.pairs)
        print(database, result[database], flush=True)
    benchmark.write(result)


def _measured(given: Namespace, database: str, pages: list[KnownPage], model: Model) -> dict[str, Any]:
    tuned = _tuned(given, database, model)
    drawn = _drawn(pages, given.documents, database, model)
    found: dict[str, Any] = {
        "writers": len({page.writer for page in pages}),
        "pages": len(pages),
        "pairs": _pairs(pages, model, given.pairs),
        "documents": _documents(drawn, {"handshift": None, **tuned}),
        "chosen_on_validation": {name: m.value for name, m in tuned.items() if isinstance(m, Tuned)},
        "agreement": _agreement(drawn),
    }
    rich = [w for w, own in _by_writer(pages).items() if len(own) >= 10]
    if len(rich) >= 5:
        found["substituted"] = _substituted(pages, rich, model, given.documents)
    return found


def _by_writer(pages: Sequence[KnownPage]) -> dict[str, list[KnownPage]]:
    found: dict[str, list[KnownPage]] = defaultdict(list)
    for page in pages:
        found[page.writer].append(page)
    return found


def _drawn(pages: Sequence[KnownPage], count: int, database: str, model: Model) -> list[Document]:
    """Documents of every size in turn; at most two pages a writer where a database has few."""
    rng = np.random.default_rng(SEED)
    by_writer, most, each = _by_writer(pages), (20 if database == "csafe" else 10), 99
    if database != "csafe":
        each = 2
    sizes = list(range(2, most + 1))
    documents: list[Document] = []
    while len(documents) < count:
        size = sizes[len(documents) % len(sizes)]
        least = -(-size // each)
        writers = int(rng.integers(least, min(10, size, len(by_writer)) + 1))
        names = rng.permutation(list(by_writer))[:writers]
        room = {name: min(each, len(by_writer[name])) for name in names}
        if sum(room.values()) < size:
            continue
        counts = dict.fromkeys(names, 1)
        while sum(counts.values()) < size:
            open_names = [name for name in names if counts[name] < room[name]]
            counts[open_names[int(rng.integers(len(open_names)))]] += 1
        chosen = [
            by_writer[name][at]
            for name in names
            for at in rng.permutation(len(by_writer[name]))[: counts[name]]
        ]
        documents.append(Document([chosen[at] for at in rng.permutation(len(chosen))], model))
    return documents


class Tuned:
    """A method with its parameter."""

    def __init__(self, method: Callable[[np.ndarray, float], np.ndarray], value: float) -> None:
        self.method, self.value = method, round(float(value), 4)

    def __call__(self, document: Document) -> np.ndarray:
        return self.method(document.means, self.value)


def _tuned(given: Namespace, database: str, model: Model) -> dict[str, Method]:
    """Baselines, with the parameter of highest B-cubed F1 on validation documents."""
    pages = [page for page in known_pages(given, database, "validation") if page.words >= FEWEST]
    documents = _drawn([page for page in pages if page.record.prompt != PHRASE], 30, database, model)
    found: dict[str, Method] = {"components of verify": _components}
    for name, method, values in (
        ("agglomerative, cosine", _agglomerative, np.linspace(0.05, 0.8, 16)),
        ("spectral, eigengap", _spectral, np.linspace(0.0, 3.0, 7)),
    ):
        scores = [
            np.mean([b_cubed(one.truth, method(one.means, value)) for one in documents]) for value in values
        ]
        found[name] = Tuned(method, values[int(np.argmax(scores))])
    return found


def _components(document: Document) -> np.ndarray:
    return np.asarray(connected_components(document.ratios() > 0)[1])


def _agglomerative(means: np.ndarray, threshold: float) -> np.ndarray:
    model = AgglomerativeClustering(None, metric="cosine", linkage="average", distance_threshold=threshold)
    return np.asarray(model.fit_predict(means))


def _spectral(means: np.ndarray, gap: float) -> np.ndarray:
    """As many groups as eigenvalues of the normalised affinity before its largest gap, if that is one."""
    if len(means) < 3:
        return np.zeros(len(means), int) if (1 - means[0] @ means[1]) < gap / 3 else np.arange(len(means))
    affinity = np.clip((1 + means @ means.T) / 2, 0, 1) ** 8
    degree = 1 / np.sqrt(affinity.sum(axis=1))
    values = np.sort(np.linalg.eigvalsh(degree[:, None] * affinity * degree))[::-1]
    steps = values[:-1] - values[1:]
    number = 1 + int(steps[1:].argmax() + 1) if steps[1:].max() >= gap * steps[0] else 1
    if number == 1:
        return np.zeros(len(means), int)
    model = SpectralClustering(number, affinity="precomputed", random_state=0)
    return np.asarray(model.fit_predict(affinity))


def b_cubed(truth: np.ndarray, found: np.ndarray) -> float:
    """F1 of B-cubed precision and recall over pages."""
    same, joined = truth[:, None] == truth, found[:, None] == found
    both = (same & joined).sum(axis=1)
    precision, recall = (both / joined.sum(axis=1)).mean(), (both / same.sum(axis=1)).mean()
    return float(2 * precision * recall / (precision + recall))


def _product(document: Document) -> tuple[np.ndarray, int]:
    """The writer of most words of each page, and the number of writers in all."""
    linked = document.linked()
    main = [
        own[np.bincount(one.ascribed).argmax()] for own, one in zip(linked.writers, linked.hands, strict=True)
    ]
    return np.array(main), int(np.unique(linked.clusters.labels).size)


def _documents(documents: Sequence[Document], methods: dict[str, Method | None]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    owner = np.array([document.pages[0].writer for document in documents])
    sizes = np.array([len(document.pages) for document in documents])
    writers = np.array([document.truth.max() + 1 for document in documents])
    for name, method in methods.items():
        labelled = [_product(one) if method is None else _counted(method(one)) for one in documents]
        f1 = np.array([b_cubed(one.truth, own) for one, (own, _) in zip(documents, labelled, strict=True)])
        off = np.abs(np.array([number for _, number in labelled]) - writers)
        by_size = {int(size): round(float(f1[sizes == size].mean()), 4) for size in np.unique(sizes)}
        found[name] = {
            "b_cubed_f1": _interval(owner, f1),
            "worst_size": min(by_size.values()),
            "by_size": by_size,
            "within_one": _interval(owner, (off <= 1).astype(float)),
            "exact": _interval(owner, (off == 0).astype(float)),
        }
    found["documents"] = len(documents)
    return found


def _counted(labels: np.ndarray) -> tuple[np.ndarray, int]:
    return labels, int(np.unique(labels).size)


def _pairs(pages: Sequence[KnownPage], model: Model, count: int) -> dict[str, Any]:
    """Two pages: told as two or as one by hands; likelihood ratios of verify, with their cost."""
    rng = np.random.default_rng(SEED)
    writer = np.array([page.writer for page in pages])
    session = np.array([page.session for page in pages])
    one, two = np.triu_indices(len(pages), 1)
    same = writer[one] == writer[two]
    several_days = (same & (session[one] != session[two])).any()
    kept = ~same | ((session[one] != session[two]) if several_days else same)
    chosen = []
    for kind in (True, False):
        rows = np.flatnonzero(kept & (same == kind))
        names = np.array(
            [" ".join(sorted(pair)) for pair in zip(writer[one[rows]], writer[two[rows]], strict=True)]
        )
        _, who, often = np.unique(names, return_inverse=True, return_counts=True)
        weight = 1 / often[who]
        chosen.append(rng.choice(rows, min(count, rows.size), replace=False, p=weight / weight.sum()))
    at = np.concatenate(chosen)
    ratio = np.array(
        [
            model.same.ratios(
                model.same.side([pages[one[row]].vectors]), model.same.side([pages[two[row]].vectors])
            ).log10_lr[0]
            for row in at
        ]
    )
    documents = [Document([pages[one[row]], pages[two[row]]], model) for row in at]
    told = np.array([len(set(_product(document)[0].tolist())) == 1 for document in documents])
    truth, owner = same[at], writer[one[at]]

    return {
        "pairs": {"one writer": int(truth.sum()), "two writers": int((~truth).sum())},
        "one_writer_means": "two days" if several_days else "two pages of one sitting or unknown days",
        "one_told_as_one": _interval(owner[truth], told[truth].astype(float)),
        "two_told_as_two": _interval(owner[~truth], 1 - told[~truth].astype(float)),
        "cllr": _of(owner, lambda rows: float(cllr(truth[rows], ratio[rows]))),
        "cllr_cal": _of(owner, lambda rows: float(cllr_cal(truth[rows], ratio[rows]))),
        "misleading": {
            "one writer, log10 LR below 0": _interval(owner[truth], (ratio[truth] < 0).astype(float)),
            "two writers, log10 LR above 0": _interval(owner[~truth], (ratio[~truth] > 0).astype(float)),
        },
        "sign_of_hands_is_that_of_verify": round(float(np.mean(told == (ratio > 0))), 4),
    }


def _agreement(documents: Sequence[Document]) -> dict[str, Any]:
    """Page pairs of documents with |log10 LR| of 1 and more: joined exactly where the ratio is positive."""
    agreed, against = [], []
    for number, document in enumerate(documents):
        labels, _ = _product(document)
        ratios = document.ratios()
        for one, two in zip(*np.triu_indices(len(labels), 1), strict=True):
            if abs(ratios[one, two]) >= 1:
                agrees = (labels[one] == labels[two]) == (ratios[one, two] > 0)
                agreed.append(agrees)
                if not agrees:
                    against.append(
                        {
                            "document": number,
                            "pages": [document.pages[int(at)].record.path.name for at in (one, two)],
                            "log10_lr": round(float(ratios[one, two]), 2),
                            "joined": bool(labels[one] == labels[two]),
                            "one_writer": bool(document.truth[one] == document.truth[two]),
                        }
                    )
    return {"pairs": len(agreed), "agree": round(float(np.mean(agreed)), 4), "others": against[:60]}


def _substituted(pages: Sequence[KnownPage], rich: Sequence[str], model: Model, count: int) -> dict[str, Any]:
    """Ten pages by one writer, with and without one page by another."""
    rng = np.random.default_rng(SEED)
    by_writer = _by_writer(pages)
    found, alarms, owner = [], [], []
    for number in range(count):
        name = rich[number % len(rich)]
        own = [by_writer[name][at] for at in rng.permutation(len(by_writer[name]))[:10]]
        labels, writers = _product(Document(own, model))
        alarms.append(writers > 1)
        others = [other for other in by_writer if other != name]
        stranger = by_writer[others[int(rng.integers(len(others)))]]
        place = int(rng.integers(10))
        own[place] = stranger[int(rng.integers(len(stranger)))]
        labels, writers = _product(Document(own, model))
        rest = np.delete(labels, place)
        found.append(writers == 2 and (rest == rest[0]).all() and labels[place] != rest[0])
        owner.append(name)
    names = np.array(owner)
    return {
        "documents": count,
        "found_and_no_other": _interval(names, np.array(found, float)),
        "false_alarms": _interval(names, np.array(alarms, float)),
    }


def _interval(owner: np.ndarray, values: np.ndarray) -> dict[str, Any]:
    return _of(owner, lambda rows: float(values[rows].mean()))


def _of(owner: np.ndarray, figure: Callable[[np.ndarray], float]) -> dict[str, Any]:
    found = bootstrap_interval(owner, figure, repeats=REPEATS, seed=SEED)
    return {"value": round(found.value, 4), "interval": [round(found.low, 4), round(found.high, 4)]}


if __name__ == "__main__":
    main()
