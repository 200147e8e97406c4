"""Entries of a list are compared by their words and, where the resolution is known, by their size."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from handshift.attribution.entry_list import Entry, EntryList, compare_entries
from handshift.attribution.entry_ranking import _competition, rank_pairs
from handshift.attribution.group_evidence import GroupEvidence
from handshift.attribution.same_writer import SameWriter
from handshift.embedding.crops.writing_size import with_sizes
from handshift.embedding.prototypes import prototypes
from handshift.models.shipped_models import find_model
from handshift.page.word import Box, Page

WORDS, PEOPLE = 6, 8


@pytest.fixture(scope="module")
def model() -> SameWriter:
    shipped = find_model("words-4")
    return SameWriter.of(shipped.covariances(), shipped.comparison())


def entries(model: SameWriter) -> list[np.ndarray]:
    """One line of eight people each, and a second of the first, drawn from the model."""
    plda, rng = model.plda, np.random.default_rng(3)
    people = [*range(PEOPLE), 0]
    writers = rng.normal(0, np.sqrt(plda.writer), (PEOPLE, plda.writer.size))
    rows = [writers[who] + rng.normal(0, 1, (WORDS, plda.writer.size)) for who in people]
    back = np.linalg.pinv(plda.projection)  # from the projected space into that of the vectors
    return [np.asarray(own @ back + plda.mean, np.float32) for own in rows]


def compared(vectors: list[np.ndarray], model: SameWriter) -> EntryList:
    page = Page(np.zeros((4, 4, 3), np.uint8), (), Path("list.png"), "ab" * 32)
    given = [Entry(page, at, Box(0, 0, 4, 4), WORDS) for at in range(1, len(vectors) + 1)]
    return compare_entries(given, vectors, model, name="words-4")


def weights(found: EntryList) -> dict[tuple[int, int], float]:
    return {pair.entries: pair.weight for pair in found.pairs}


def test_entries_of_one_size_gain_and_entries_of_two_sizes_lose(model):
    vectors = entries(model)
    plain = weights(compared(vectors, model))
    size = 0.45 + 0.01 * np.arange(len(vectors))  # ln mm, of which people have about 0.2
    size[5] = -0.1
    sized = weights(
        compared([with_sizes(own, float(at)) for own, at in zip(vectors, size, strict=True)], model)
    )
    assert sized[1, 9] > plain[1, 9] and sized[1, 6] < plain[1, 6]


def test_an_entry_of_unknown_size_is_compared_by_its_words_alone(model):
    vectors = entries(model)
    plain = compared(vectors, model)
    unknown = compared([with_sizes(own, np.nan) for own in vectors], model)
    assert weights(unknown) == pytest.approx(weights(plain))
    assert [pair.false_pairs for pair in unknown.pairs] == pytest.approx(
        [pair.false_pairs for pair in plain.pairs]
    )


def test_a_pair_counts_less_where_an_entry_is_as_like_others(model):
    vectors = entries(model)
    alone = weights(compared(vectors, model))[1, 9]
    crowded = compared([*vectors, vectors[0]], model)  # a third entry like the first
    assert weights(crowded)[1, 9] < alone - 0.5
    ratios = {pair.entries: pair.log10_lr for pair in crowded.pairs}
    assert ratios[1, 9] == pytest.approx(compared(vectors, model).pairs[0].log10_lr, abs=0.3)


def test_the_ranking_weighs_what_speaks_for_other_partners_of_either_entry(model):
    evidence = GroupEvidence(model, prototypes(entries(model)), centred=True)
    found, count = rank_pairs(evidence), len(evidence)
    plain = np.zeros((count, count))
    for row in range(count):
        plain[row] = model.ratios(evidence.sums[row : row + 1], evidence.sums).weight
    prior = 1 / (count - 1)
    for one, two, weight in zip(found.one, found.two, found.weight, strict=True):
        against = 0.0
        for at in (one, two):
            others = sum(10.0 ** plain[at, k] for k in range(count) if k not in (one, two))
            against += np.log10((1 + prior * others) / (1 + prior * (count - 2)))
        assert weight == pytest.approx(plain[one, two] - against)
    assert (np.diff(found.false_pairs) >= 0).all()


def test_ratios_of_one_say_nothing_for_any_partner_and_two_entries_have_no_other() -> None:
    one, two = np.triu_indices(5, 1)
    assert _competition(np.zeros(10), one, two, 5) == pytest.approx(np.zeros(10))
    assert _competition(np.array([3.0]), *np.triu_indices(2, 1), 2) == pytest.approx([0.0])


def test_a_ratio_beyond_all_others_leaves_the_rest_their_sum() -> None:
    weight = np.array([40.0, 1.0, 2.0])  # of the pairs 0-1, 0-2 and 1-2
    one, two = np.triu_indices(3, 1)
    found = _competition(weight, one, two, 3)
    assert found[0] == pytest.approx(np.log10(1 + 10 / 2) + np.log10(1 + 100 / 2) - 2 * np.log10(1.5))
    assert found[1] == pytest.approx(np.log10(1 + 1e40 / 2) + np.log10(1 + 100 / 2) - 2 * np.log10(1.5))
