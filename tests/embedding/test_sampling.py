"""Batches are drawn so that no writer and no day stands for the rest."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.core.errors import HandshiftError
from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.crops.word_crop import ink_lengths
from handshift.embedding.train.sampling import (
    BalancedSampler,
    RootSampler,
    WordSampler,
    by_writer_and_session,
)


@pytest.fixture
def words():
    """Writer a: 400 words on the first day, 4 on the second; b: 100 on one day; c: 9 on three."""
    writer = np.repeat(["a", "a", "b", "c", "c", "c"], [400, 4, 100, 3, 3, 3])
    session = np.repeat([1, 2, 1, 1, 2, 3], [400, 4, 100, 3, 3, 3])
    crops = np.zeros((writer.size, 8, 192), np.uint8)
    crops[::2, :, :60] = 255
    crops[1::2, :, :20] = 255
    return WordCollection(crops, np.arange(writer.size).astype(str), writer, session, writer)


def drawn(sampler, batches=40):
    rng = np.random.default_rng(0)
    parts = [sampler.draw(rng) for _ in range(batches)]
    return [
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("writers", "rows", "pseudo_writer")
    ]


def test_a_writer_comes_by_the_root_of_the_word_count_and_its_days_alike(words):
    strata = by_writer_and_session(words, ["a", "b", "c"])
    writers, rows, _ = drawn(RootSampler(strata, 64, pseudo_share=0.0))
    shares = np.bincount(writers) / writers.size
    roots = np.sqrt([404, 100, 9])
    assert shares == pytest.approx(roots / roots.sum(), abs=0.03)
    of_a = words.session[rows[writers == 0]]
    assert (of_a == 2).mean() == pytest.approx(0.5, abs=0.05)
    assert (words.writer[rows] == np.array(["a", "b", "c"])[writers]).all()


def test_longer_words_can_be_preferred(words):
    strata = by_writer_and_session(words, ["a", "b"])
    _, plain, _ = drawn(RootSampler(strata, 64, 0.0))
    _, rows, _ = drawn(RootSampler(strata, 64, 0.0, ink_lengths(words.crops).astype(np.float32)))
    assert (plain % 2 == 0).mean() == pytest.approx(0.5, abs=0.05)
    assert (rows % 2 == 0).mean() == pytest.approx(0.625, abs=0.05)  # ¼ + ½ · 60/80


def test_every_word_can_count_alike(words):
    writers, _, _ = drawn(WordSampler(by_writer_and_session(words, ["a", "b", "c"]), 64, 0.0))
    assert np.bincount(writers) / writers.size == pytest.approx(np.array([404, 100, 9]) / 513, abs=0.03)


def test_a_balanced_batch_has_as_many_words_of_each_writer_over_their_days(words):
    sampler = BalancedSampler(by_writer_and_session(words, ["a", "b", "c"]), 12, 4, pseudo_share=0.5)
    rng = np.random.default_rng(1)
    for _ in range(20):
        batch = sampler.draw(rng)
        assert np.bincount(batch.writers).tolist() == [4, 4, 4]
        assert sorted(words.session[batch.rows[batch.writers == 0]]) == [1, 1, 2, 2]
        assert set(words.session[batch.rows[batch.writers == 2]]) == {1, 2, 3}
        for writer in range(3):  # otherwise two words of one hand would be two classes
            assert np.unique(batch.pseudo_writer[batch.writers == writer]).size == 1


def test_half_of_the_words_become_pseudo_writers(words):
    strata = by_writer_and_session(words, ["a", "b"])
    _, _, pseudo = drawn(RootSampler(strata, 64, pseudo_share=0.5))
    assert (pseudo > 0).mean() == pytest.approx(0.5, abs=0.03)
    assert set(pseudo) == {0, 1, 2, 3, 4}


def test_batches_that_cannot_be_balanced_are_refused(words):
    strata = by_writer_and_session(words, ["a", "b", "c"])
    with pytest.raises(HandshiftError, match="--words-each"):
        BalancedSampler(strata, 6, 4, 0.0)
    with pytest.raises(HandshiftError, match="two writers with words, and 1 were found"):
        by_writer_and_session(words, ["a", "nobody"])
