"""Batches over databases hold two pages of each writer and several words of each page."""

from __future__ import annotations

import numpy as np
import pytest
from striped_words import striped_words

from handshift.core.errors import HandshiftError
from handshift.embedding.crops.word_crop import ink_lengths
from handshift.embedding.train.page_sampling import PageSampler, Sheets, training_sheets

ONE, TWO = striped_words("one", 4, pages=3, sessions=True), striped_words("two", 3, pages=1, each=9)


def sampler(weights: tuple[float, float] = (1, 1), batch: int = 64, each: int = 4) -> PageSampler:
    sheets = [
        list(training_sheets(words, np.unique(words.writer).tolist(), each).values()) for words in (ONE, TWO)
    ]
    return PageSampler(sheets, weights, batch, each, [ink_lengths(words.crops) for words in (ONE, TWO)])


def test_the_words_of_a_page_stand_together_and_a_writers_pages_are_of_two_sessions() -> None:
    drawn = sampler((1, 0)).draw(np.random.default_rng(0))
    assert drawn.row.shape == (64,)
    pages = ONE.page[drawn.row].reshape(-1, 4)
    assert (pages == pages[:, :1]).all()
    sessions = ONE.session[drawn.row].reshape(-1, 2, 4)[:, :, 0]
    assert (sessions[:, 0] != sessions[:, 1]).all()
    assert (ONE.writer[drawn.row] == np.array([f"one/{c}" for c in drawn.writer])).all()


def test_a_writer_of_one_page_gives_it_twice() -> None:
    drawn = sampler((0, 1)).draw(np.random.default_rng(0))
    assert set(drawn.database) == {1}
    assert drawn.writer.min() >= 4  # classes go on after those of the first database
    assert all(len(set(rows)) == 4 for rows in drawn.row.reshape(-1, 4).tolist())


def test_databases_are_drawn_by_their_weights() -> None:
    rng, chooser = np.random.default_rng(1), sampler((3, 1))
    share = np.mean([np.mean(chooser.draw(rng).database == 0) for _ in range(200)])
    assert share == pytest.approx(0.75, abs=0.03)


def test_a_batch_depends_on_its_generator_alone() -> None:
    one, again = (sampler().draw(np.random.default_rng(5)) for _ in range(2))
    assert (one.row == again.row).all()
    assert (one.row != sampler().draw(np.random.default_rng(6)).row).any()


def test_single_word_pictures_of_a_session_are_taken_for_one_page() -> None:
    words = striped_words("alone", 1, pages=5, each=1)
    sheets = Sheets.of(words, np.arange(5), least=4)
    assert [rows.tolist() for rows in sheets.rows] == [[0, 1, 2, 3, 4]]


def test_longer_words_are_drawn_more_often() -> None:
    long = np.arange(len(TWO.crops)) % 2 == 0
    sheets = list(training_sheets(TWO, np.unique(TWO.writer).tolist(), 2).values())
    chooser = PageSampler([sheets], [1.0], 8, 2, [np.where(long, 60, 15)])
    rng = np.random.default_rng(2)
    drawn = np.concatenate([chooser.draw(rng).row for _ in range(300)])
    assert long[drawn].mean() > 0.6


def test_a_batch_that_does_not_divide_into_pages_is_refused() -> None:
    with pytest.raises(HandshiftError, match="--batch 60 is not a multiple of two pages of 8 words"):
        sampler(batch=60, each=8)
