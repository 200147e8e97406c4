"""Identification of known writers by prototypes: rank 1 and 5, and open-set errors of a calibrated model.

Queries share neither session nor prompt with the enrolled pages where a writer has several: of three prompts
two are enrolled and queries hold the third. Where nobody has several sessions, every page counts as one. Open
set: half of the writers are not enrolled, drawn repeatedly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.identification import posterior
from handshift.attribution.same_writer import SameWriter, Sums
from handshift.bag.pages import PageRows
from handshift.calibration.pair_calibration import PairCalibration
from handshift.core.arrays import Floats, Vectors
from handshift.core.errors import HandshiftError
from handshift.embedding.crops.writing_size import with_sizes
from handshift.embedding.prototypes import Aggregation, Prototypes, prototypes
from handshift.metrics import bootstrap_interval
from handshift.models.shipped_models import ShippedModel

SEED = 2026
ENROLLED_PAGES = 3
FALSE_ACCEPTS = 0.01
PRIOR = 0.5  # half of the writers are enrolled
FEWEST_WORDS = 5
"""Of a page that is enrolled or asked about."""


class NoQueryError(HandshiftError):
    """No writer has a page to identify beside those to enroll."""


@dataclass(frozen=True)
class _Trial:
    """Enrolled pages of each writer, and pages to identify."""

    enrolled: dict[str, list[PageRows]]
    queries: list[PageRows]


@dataclass(frozen=True)
class _Answers:
    """Of each query, (queries,)."""

    writer: NDArray[np.str_]
    rank: NDArray[np.int64]
    enrolled: NDArray[np.bool_]
    """Whether the writer is in the half that is enrolled."""
    accepted: NDArray[np.bool_]
    right: NDArray[np.bool_]
    confidence: NDArray[np.float64]


def identification_by_query(
    pages: list[PageRows],
    vectors: NDArray[np.float32],
    model: ShippedModel | None,
    *,
    rounds: int,
    seed: int = SEED,
    sizes: Floats | None = None,
) -> dict[str, object]:
    """Identify whole pages and five words of them, by mean and by attention prototypes.

    Args:
        pages: Pages of the writers, of `FEWEST_WORDS` words or more.
        vectors: (words, dimensions).
        model: Of the vectors, for open-set figures; None where none is calibrated.
        rounds: Draws of enrolled writers.
        seed: Of the draws.
        sizes: (words,) ln mm; where given, the size of the writing is compared too.

    Returns:
        Query ("page", "5 words") → aggregation → figures of `identification_figures`.

    Raises:
        NoQueryError: No writer has a page to ask about.
    """
    return {
        name: {
            how.value: identification_figures(
                pages, vectors, model, words=count, how=how, rounds=rounds, seed=seed, sizes=sizes
            )
            for how in Aggregation
        }
        for name, count in (("page", None), ("5 words", 5))
    }


def identification_figures(
    pages: list[PageRows],
    vectors: NDArray[np.float32],
    model: ShippedModel | None,
    *,
    words: int | None = None,
    how: Aggregation = Aggregation.MEAN,
    rounds: int = 20,
    seed: int = SEED,
    sizes: Floats | None = None,
) -> dict[str, object]:
    """Identify pages among all writers: by the model's likelihood ratio, or by cosine arg-max without one.

    Args:
        pages: Pages of the writers, of at least `FEWEST_WORDS` words.
        vectors: (words, dimensions).
        model: A calibrated model whose network made the vectors; None for an uncalibrated network.
        words: Consecutive words of a query; whole pages if None.
        how: Aggregation of words to prototypes, mean or attention.
        rounds: Draws of enrolled pages.
        seed: Of the draws and the bootstrap.
        sizes: (words,) ln mm; where given, the size of the writing is compared too.

    Returns:
        JSON-ready figures with intervals over writers.

    Raises:
        NoQueryError: No writer has pages both to enroll and to identify.
    """
    rng = np.random.default_rng(seed)
    rows = vectors if sizes is None or model is None else with_sizes(vectors, sizes)
    pages = _with_sessions(pages)
    answers = [_answers(_trial(pages, rng), rows, model, words, how, rng) for _ in range(rounds)]
    writer, rank = (np.concatenate([getattr(one, name) for one in answers]) for name in ("writer", "rank"))
    people = len({page.writer for page in pages})
    figures: dict[str, object] = {
        "queries": len(rank),
        "people_enrolled": people,
        "people_asked_about": int(np.unique(writer).size),
        "rank_1": _share(rank == 1, writer, seed),
        "rank_5": _share(rank <= 5, writer, seed),
        "chance": {"rank_1": round(1 / people, 4), "rank_5": round(min(1.0, 5 / people), 4)},
    }
    return (
        figures if model is None else figures | {"open_set_half_enrolled": _open_set(answers, writer, seed)}
    )


def _open_set(answers: list[_Answers], writer: NDArray[np.str_], seed: int) -> dict[str, object]:
    enrolled, accepted, right, confidence = (
        np.concatenate([getattr(one, name) for one in answers])
        for name in ("enrolled", "accepted", "right", "confidence")
    )
    return {
        "wanted_false_accepts": FALSE_ACCEPTS,
        "false_accepts": _share(accepted[~enrolled], writer[~enrolled], seed),
        "false_rejects": _share(~accepted[enrolled], writer[enrolled], seed),
        "wrong_names": _share((accepted & ~right)[enrolled], writer[enrolled], seed),
        "chance": {"false_accepts": FALSE_ACCEPTS, "false_rejects": 1 - FALSE_ACCEPTS},
        "mean_confidence_of_the_first": round(float(confidence.mean()), 4),
        "share_of_the_first_right": round(float(right.mean()), 4),
    }


def _answers(
    trial: _Trial,
    vectors: NDArray[np.float32],
    model: ShippedModel | None,
    words: int | None,
    how: Aggregation,
    rng: np.random.Generator,
) -> _Answers:
    """One draw: the rank of every query's writer, and its open-set result in half of the gallery."""
    if not trial.queries:
        raise NoQueryError("no writer has a page to identify beside those to enroll: two sessions are needed")
    names = np.array(sorted(trial.enrolled))
    known = [np.concatenate([vectors[page.rows] for page in trial.enrolled[name]]) for name in names]
    asked = [vectors[_some(page.rows, words, rng)] for page in trial.queries]
    truth = np.array([page.writer for page in trial.queries])
    if model is None:
        weight, log10_lr = _cosines(prototypes(asked, how), prototypes(known, how))
    else:
        found = _Ratios.of(asked, known, how, model)
        weight, log10_lr = found.weight, found.log10_lr
    own = weight[np.arange(len(truth)), np.searchsorted(names, truth)]
    rank = (weight > own[:, None]).sum(axis=1) + 1
    half = np.sort(rng.permutation(len(names))[: len(names) // 2])
    if model is None:
        nothing = np.zeros(len(truth), bool)
        return _Answers(truth, rank, nothing, nothing, nothing, np.zeros(len(truth)))
    best = weight[:, half].argmax(axis=1)
    accepted = weight[:, half].max(axis=1) >= found.thresholds(half[best], len(half))
    confidence = [
        posterior(lr, PRIOR, len(half))[0][first] for lr, first in zip(log10_lr[:, half], best, strict=True)
    ]
    right = names[half][best] == truth
    return _Answers(truth, rank, np.isin(truth, names[half]), accepted, right, np.array(confidence))


def _with_sessions(pages: list[PageRows]) -> list[PageRows]:
    """Every page a session of its own, where no writer has two sessions."""
    if len({(page.writer, page.session) for page in pages}) > len({page.writer for page in pages}):
        return pages
    keys = sorted({page.key for page in pages})
    return [replace(page, session=keys.index(page.key)) for page in pages]


def _trial(pages: list[PageRows], rng: np.random.Generator) -> _Trial:
    """Draw three pages of one session and two prompts; queries are of other sessions and the third prompt.

    Where all pages have one prompt, prompts are ignored. Writers with one session are enrolled
    with what they have and not asked about.
    """
    enrolled: dict[str, list[PageRows]] = {}
    queries: list[PageRows] = []
    single = len({page.prompt for page in pages}) == 1
    for writer in sorted({page.writer for page in pages}):
        own = [page for page in pages if page.writer == writer]
        prompts = sorted({page.prompt for page in own})
        session = rng.choice(sorted({page.session for page in own}))
        prompt = rng.choice(prompts)
        known = [page for page in own if page.session == session and (single or page.prompt != prompt)]
        asked = [page for page in own if page.session != session and (single or page.prompt == prompt)]
        if asked and (len(known) >= ENROLLED_PAGES or (single and known)):
            queries += asked
        else:
            known = own
        enrolled[writer] = [known[at] for at in rng.permutation(len(known))[:ENROLLED_PAGES]]
    return _Trial(enrolled, queries)


def _some(rows: NDArray[np.int64], words: int | None, rng: np.random.Generator) -> NDArray[np.int64]:
    """All rows, or a run of consecutive words."""
    if words is None or rows.size <= words:
        return rows
    start = int(rng.integers(rows.size - words + 1))
    return rows[start : start + words]


Scores = tuple[NDArray[np.float64], NDArray[np.float64]]


def _cosines(queries: Prototypes, gallery: Prototypes) -> Scores:
    """(queries, people) cosines of the prototypes."""
    one, two = (
        part.means / np.maximum(np.linalg.norm(part.means, axis=1, keepdims=True), 1e-12)
        for part in (queries, gallery)
    )
    cosines = one @ two.T
    return cosines, cosines


@dataclass(frozen=True)
class _Ratios:
    """Queries against people, as `identify` compares them: (queries, people)."""

    weight: Floats
    log10_lr: Floats
    words: Floats
    size: Floats
    calibration: PairCalibration

    @classmethod
    def of(
        cls, queries: list[Vectors], people: list[Vectors], how: Aggregation, model: ShippedModel
    ) -> _Ratios:
        same = SameWriter.of(model.covariances(), model.comparison())
        known = Sums(np.concatenate([same.side([own], how).rows for own in people]))
        found = [same.ratios(same.side([query], how), known) for query in queries]
        weight, log10_lr, words, size = (
            np.array([getattr(one, name) for one in found])
            for name in ("weight", "log10_lr", "words", "size")
        )
        return cls(weight, log10_lr, words, size, same.calibration)

    def thresholds(self, best: NDArray[np.intp], enrolled: int) -> Floats:
        """(queries,) what each query's best candidate of so many enrolled must reach."""
        at = np.arange(len(best)), best
        pairs = zip(self.words[at], self.size[at], strict=True)
        return np.array(
            [
                self.calibration.threshold(float(words), enrolled, FALSE_ACCEPTS, bool(size))
                for words, size in pairs
            ]
        )


def _share(hits: NDArray[np.bool_], writers: NDArray[np.str_], seed: int) -> dict[str, object]:
    found = bootstrap_interval(writers, lambda at: float(hits[at].mean()), repeats=300, seed=seed)
    return {"value": round(found.value, 4), "interval": [round(found.low, 4), round(found.high, 4)]}
