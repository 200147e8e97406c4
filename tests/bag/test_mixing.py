"""Mixed bags hold what they say they hold."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from handshift.bag.kinds import Kind
from handshift.bag.mixing import Mixer
from handshift.bag.pages import pages_of


@pytest.fixture
def table():
    """Four writers, two sessions, two prompts of 20 words each; writer d has one session."""
    rows = [
        (f"{w}/{s}/{p}", w, s, p)
        for w in "abcd"
        for s in (1, 2)
        for p in ("LND", "PHR")
        if not (w == "d" and s == 2)
        for _ in range(20)
    ]
    page, writer, session, prompt = (np.array(column) for column in zip(*rows, strict=True))
    return SimpleNamespace(page=page, writer=writer, session=session, prompt=prompt)


def test_pages_are_found_whole_and_in_order(table):
    pages = pages_of(table, ["a", "d"])
    assert [page.rows.size for page in pages] == [20] * 6
    assert all((np.diff(page.rows) == 1).all() for page in pages)


def test_a_mixed_bag_has_one_block_of_another_writer_at_the_same_prompt(table):
    for bag in Mixer(pages_of(table, "abcd"), seed=1).draw(Kind.MIXED, 50, 0.3):
        assert bag.foreign.sum() == 6
        assert np.ptp(np.flatnonzero(bag.foreign)) == 5
        assert len(set(table.writer[bag.rows])) == 2
        assert (table.writer[bag.rows[~bag.foreign]] == bag.writer).all()
        assert len(set(table.prompt[bag.rows])) == 1


def test_foreign_words_stand_at_the_same_place_in_the_text(table):
    for bag in Mixer(pages_of(table, "abcd"), seed=1).draw(Kind.MIXED, 50, 0.3):
        assert (bag.rows % 20 == np.arange(20)).all()


def test_a_spliced_bag_is_by_one_writer_in_two_sessions(table):
    for bag in Mixer(pages_of(table, "abcd"), seed=2).draw(Kind.SPLICED, 50, 0.5):
        assert set(table.writer[bag.rows]) == {bag.writer}
        assert len(set(table.session[bag.rows])) == 2
        assert bag.writer != "d"


def test_a_single_bag_is_one_page(table):
    for bag in Mixer(pages_of(table, "abcd"), seed=3).draw(Kind.SINGLE, 20, 0.5, words=14):
        assert bag.rows.size == 14 and not bag.foreign.any()
        assert len(set(table.page[bag.rows])) == 1


def test_draws_repeat_by_seed(table):
    def rows(seed):
        return [bag.rows.tolist() for bag in Mixer(pages_of(table, "abcd"), seed).draw(Kind.MIXED, 9, 0.2)]

    assert rows(5) == rows(5) != rows(6)


def test_what_cannot_be_drawn_is_said(table):
    with pytest.raises(ValueError, match="one writer, two sessions"):
        Mixer(pages_of(table, "d"), seed=1).draw(Kind.SPLICED, 1, 0.2)
