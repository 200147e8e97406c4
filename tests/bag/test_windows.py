"""Windows run along the words of a bag, and documents are pages or sessions."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.bag.bagset import BagSet
from handshift.bag.pages import Key, documents_of
from handshift.bag.windows import windowed, windows


def test_fourteen_words_are_ten_windows_of_five():
    found = windows(14, 5, 1)
    assert found.shape == (10, 5)
    assert (found == np.arange(10)[:, None] + np.arange(5)).all()


def test_a_last_window_ends_with_the_last_word():
    assert windows(9, 4, 3).tolist() == [[0, 1, 2, 3], [3, 4, 5, 6], [5, 6, 7, 8]]


def test_few_words_are_one_window():
    assert windows(3, 5).tolist() == [[0, 1, 2]] and windows(1).tolist() == [[0]]


def test_windows_of_nothing_are_refused():
    with pytest.raises(ValueError, match="1 or more"):
        windows(0)


def test_windows_are_cut_after_words_were_replaced():
    bags = BagSet(
        [*range(6), *range(20, 24)], [0, 6, 10], [0, 0, 1, 1, 0, 0] + [0] * 4, [1, 0], ["a", "b"], ["x", "y"]
    )
    cut = windowed(bags, size=4, stride=2)
    assert cut.width == 4 and cut.label.tolist() == [True, False]
    assert cut[0].rows.reshape(-1, 4).tolist() == [[0, 1, 2, 3], [2, 3, 4, 5]]
    assert cut[0].foreign.reshape(-1, 4).tolist() == [[False, False, True, True], [True, True, False, False]]
    assert cut[1].rows.tolist() == [20, 21, 22, 23]


def test_windows_longer_than_a_bag_are_refused():
    bags = BagSet([1, 2], [0, 2], [0, 0], [0], ["a"], ["single"])
    with pytest.raises(ValueError, match="windows of 5"):
        windowed(bags)


def test_a_document_is_a_page_or_all_of_a_writers_session(words):
    pages = documents_of(words, "ab")
    sessions = documents_of(words, "ab", Key.SESSION)
    assert len(pages) == 24 and len(sessions) == 6
    assert {page.key for page in pages} == set(words.page[np.isin(words.writer, ["a", "b"])])
    for document in sessions:
        assert document.key == f"{document.writer}/{document.session}" and document.prompt == ""
        assert set(words.writer[document.rows]) == {document.writer}
        assert (words.session[document.rows] == document.session).all()
        assert document.rows.size == np.count_nonzero(
            (words.writer == document.writer) & (words.session == document.session)
        )


def test_sessions_are_gathered_wherever_their_rows_stand(words):
    shuffled = np.random.default_rng(1).permutation(words.page.size)
    mixed = type(words)(**{name: column[shuffled] for name, column in vars(words).items()})
    for document in documents_of(mixed, "abc", Key.SESSION):
        assert (np.diff(document.rows) > 0).all()
        assert {
            f"{w}/{s}" for w, s in zip(mixed.writer[document.rows], mixed.session[document.rows], strict=True)
        } == {document.key}
