"""Bags drawn by a plan hold what the plan says, of the pages given and no others."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from handshift.bag.draw import Drawer
from handshift.bag.pages import PageRows, pages_of
from handshift.bag.patterns import Block, Blocks, Lines, Scattered
from handshift.bag.plan import Kind, Plan
from handshift.core.errors import HandshiftError
from handshift.corpus.databases.record import database_of

ALL = {Kind.SINGLE: 1, Kind.PAGES: 1, Kind.SPLICED: 1, Kind.MIXED: 2}
EVERY_PATTERN = (Block(), Blocks(2), Blocks(3), Scattered(), Lines())


def drawn(words, plan, count=400, writers="abcdef", seed=1):
    return Drawer(pages_of(words, writers), plan, words.line).draw(count, np.random.default_rng(seed))


@pytest.fixture(scope="module", params=list(product((14, None), (True, False))), ids=str)
def case(request, words):
    """Every kind, pattern and number of hands, in bags of 14 words and whole pages, texts matched or not."""
    length, matched = request.param
    plan = Plan(length, (1, 2, 3, 7), (), EVERY_PATTERN, (2, 3, 4), matched, ALL)
    return plan, drawn(words, plan)


def test_words_of_the_host_are_its_writers_and_follow_each_other(case, words):
    for bag in case[1]:
        own = bag.rows[~bag.foreign]
        assert set(words.writer[own]) == {bag.writer} and set(words.page[own]) == {bag.key}
        assert (np.diff(own) == np.diff(np.flatnonzero(~bag.foreign))).all()


def test_foreign_words_of_a_mixed_bag_are_by_others_alone(case, words):
    bags = case[1]
    for bag in bags.take(bags.kind == "mixed"):
        assert bag.label and bag.writer not in words.writer[bag.rows[bag.foreign]]


def test_foreign_words_come_from_the_database_of_the_host(words):
    names = {one: f"{'csafe' if one < 'd' else 'iam'}/{one}" for one in "abcdef"}
    two = SimpleNamespace(**vars(words) | {"writer": np.array([names[one] for one in words.writer])})
    plan = Plan(14, (1, 7), (), EVERY_PATTERN, (2, 3), kinds={Kind.MIXED: 1})
    bags = drawn(two, plan, writers=names.values())
    assert {database_of(bag.writer) for bag in bags} == {"csafe", "iam"}
    assert all({*map(database_of, two.writer[bag.rows])} == {database_of(bag.writer)} for bag in bags)


def test_mixed_bags_have_as_many_hands_as_asked_for(words):
    for hands in (2, 3, 4):
        plan = Plan(14, foreign=(3, 7), patterns=EVERY_PATTERN, writers=(hands,), kinds={Kind.MIXED: 1})
        assert {len(set(words.writer[bag.rows])) for bag in drawn(words, plan, 100)} == {hands}


def test_spliced_bags_are_by_one_hand_on_other_days(case, words):
    bags = case[1]
    for bag in bags.take(bags.kind == "spliced"):
        days = words.session[bag.rows]
        assert not bag.label and set(words.writer[bag.rows]) == {bag.writer}
        assert not set(days[bag.foreign]) & set(days[~bag.foreign])


def test_bags_of_two_pages_are_of_one_session(case, words):
    bags = case[1]
    for bag in bags.take(bags.kind == "pages"):
        assert not bag.label and len(set(words.session[bag.rows])) == 1
        assert bag.key not in words.page[bag.rows[bag.foreign]]
        assert set(words.writer[bag.rows]) == {bag.writer}


def test_prompts_match_when_asked_and_only_then(case, words):
    plan, bags = case
    mixed = bags.take(bags.kind == "mixed")
    prompts = {len(set(words.prompt[bag.rows])) for bag in mixed}
    assert prompts == ({1} if plan.same_prompt else {1, 2})


def test_the_number_of_foreign_words_is_exact_and_shared_out_equally(case):
    bags = case[1]
    for kind in ("mixed", "spliced", "pages"):
        amounts, often = np.unique(bags.foreign_words[bags.kind == kind], return_counts=True)
        assert amounts.tolist() == [1, 2, 3, 7] and np.ptp(often) == 0
    assert not bags.foreign_words[bags.kind == "single"].any()


def test_kinds_come_in_the_proportions_of_the_plan(case):
    kinds, often = np.unique(case[1].kind, return_counts=True)
    assert dict(zip(kinds, often, strict=True)) == {"mixed": 160, "pages": 80, "single": 80, "spliced": 80}


def test_no_word_stands_twice_in_a_bag(case):
    assert all(np.unique(bag.rows).size == bag.rows.size for bag in case[1])


def test_a_short_guest_gives_different_words_in_their_order():
    pages = [PageRows(np.arange(60), "a", 1, "LND", "a"), PageRows(np.arange(60, 80), "b", 1, "LND", "b")]
    plan = Plan(None, foreign=(15,), patterns=(Scattered(), Blocks(3)), kinds={Kind.MIXED: 1})
    bags = Drawer(pages, plan).draw(100, np.random.default_rng(1))
    for bag in bags.take(bags.writer == "a"):
        assert (np.diff(bag.rows[bag.foreign]) > 0).all() and (bag.rows[bag.foreign] >= 60).all()


def test_foreign_words_come_from_the_same_place_in_the_text(words):
    first = {page: np.flatnonzero(words.page == page)[0] for page in np.unique(words.page)}
    length = {page: np.count_nonzero(words.page == page) for page in first}
    for bag in drawn(words, Plan(None, shares=(0.1, 0.3), kinds={Kind.MIXED: 1}), 100):
        begin = bag.foreign.argmax()
        page = words.page[bag.rows[begin]]
        wanted = min(round(begin * length[page] / bag.rows.size), length[page] - bag.foreign.sum())
        assert bag.rows[begin] - first[page] == wanted
        assert (np.diff(bag.rows[bag.foreign]) == 1).all()


def test_spliced_bags_have_the_patterns_of_mixed_ones(words):
    plan = Plan(14, foreign=(4,), patterns=EVERY_PATTERN, kinds={Kind.SPLICED: 1, Kind.MIXED: 1})
    bags = drawn(words, plan, 8000)
    foreign = bags.foreign.reshape(-1, 14)
    kinds = [bags.kind == kind for kind in ("spliced", "mixed")]
    where = [foreign[kind].mean(axis=0) for kind in kinds]
    runs = [np.bincount((np.diff(foreign[kind].astype(int), prepend=0) == 1).sum(axis=1)) for kind in kinds]
    names = [np.unique(bags.pattern[kind], return_counts=True)[1] for kind in kinds]
    assert abs(where[0] - where[1]).max() < 0.04
    assert abs(runs[0] - runs[1]).max() < 200 and abs(names[0] - names[1]).max() < 200


def test_bags_of_some_writers_never_hold_a_word_of_the_others(words):
    bags = drawn(words, Plan(14, shares=(0.2, 0.5), kinds=ALL, same_prompt=False), writers="abc")
    assert set(words.writer[bags.rows]) == set("abc")


def test_every_writer_hosts_equally_often(words):
    pages = [page for page in pages_of(words, "abcdef") if page.writer != "a" or page.session == 1]
    bags = Drawer(pages, Plan(14, foreign=(2,))).draw(6000, np.random.default_rng(2))
    assert (abs(np.unique(bags.writer, return_counts=True)[1] - 1000) < 150).all()


def test_shares_become_words_of_the_bag(words):
    bags = drawn(words, Plan(None, shares=(0.05, 0.5), kinds={Kind.MIXED: 1}))
    assert (bags.foreign_words == np.maximum(1, np.rint(bags.share * bags.sizes))).all()
    assert set(bags.share) == {0.05, 0.5}


def test_a_draw_repeats_by_its_generator(words):
    plan = Plan(14, foreign=(1, 7), patterns=EVERY_PATTERN, kinds=ALL)
    one, again, other = (drawn(words, plan, seed=seed) for seed in (1, 1, 2))
    assert (one.signed == again.signed).all() and (one.key == again.key).all()
    assert (one.signed != other.signed).any()


def test_a_set_takes_a_hundredth_of_its_vectors(words):
    bags = drawn(words, Plan(14, foreign=(1, 2, 3, 4, 7), patterns=EVERY_PATTERN, kinds=ALL), 20_000)
    assert bags.nbytes <= 0.01 * 20_000 * 14 * 128 * np.dtype(np.float32).itemsize


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_few_bags_are_drawn_as_well_as_many(words, count):
    for length in (14, None):
        plan = Plan(length, foreign=(1, 4), patterns=EVERY_PATTERN, writers=(2, 3), kinds=ALL)
        drawer = Drawer(pages_of(words, "abcdef"), plan, words.line)
        assert all(len(drawer.draw(count, np.random.default_rng(seed))) == count for seed in range(10))


@pytest.mark.parametrize(
    ("plan", "complaint"),
    [
        ({}, "how much is foreign"),
        ({"foreign": (1,), "shares": (0.1,)}, "one of them"),
        ({"foreign": (14,)}, "no host in a bag of 14"),
        ({"shares": (1.0,)}, "between 0 and 1"),
        ({"foreign": (1,), "writers": (1,)}, "two writers"),
        ({"foreign": (1,), "kinds": {}}, "kinds"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(plan, complaint):
    with pytest.raises(HandshiftError, match=complaint):
        Plan(**plan)


def test_pages_that_cannot_make_a_kind_of_bag_are_refused(words):
    with pytest.raises(HandshiftError, match="“two writers”: among 12 pages of 14 words or more none has 1"):
        drawn(words, Plan(foreign=(1,)), writers="a")
    with pytest.raises(HandshiftError, match="none has 3 partners of the same prompt"):
        drawn(words, Plan(foreign=(4,), writers=(2, 4)), writers="abc")


def test_a_foreign_part_longer_than_every_page_is_refused(words):
    pages = pages_of(words, "ab")
    short = [page for page in pages if page.writer == "b"][:1]
    short = [PageRows(page.rows[:3], "b", 1, page.prompt, page.key) for page in short]
    plan = Plan(None, foreign=(7,), kinds={Kind.MIXED: 1}, same_prompt=False)
    with pytest.raises(HandshiftError, match="too short"):
        Drawer([pages[0], *short], plan).draw(4, np.random.default_rng(0))
