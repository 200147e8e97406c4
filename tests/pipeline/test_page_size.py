"""A page of more words than can be compared at once is refused with advice, before its words are embedded."""

from __future__ import annotations

import pytest

from handshift.core.errors import PageError
from handshift.demo import ONE_HAND
from handshift.embedding.embedder import Embedder
from handshift.pipeline import examiner, hand_finder


@pytest.fixture
def few_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """At most 20 words, and an embedder that must not be asked."""

    def embed(self: Embedder, *arguments: object) -> None:
        raise AssertionError("the words were embedded")

    monkeypatch.setattr(Embedder, "embed_crops", embed)
    for module in (examiner, hand_finder):
        monkeypatch.setattr(module, "MOST_WORDS", 20)


@pytest.mark.usefixtures("few_words")
def test_a_page_of_too_many_words_gets_a_clear_answer():
    for outcomes in (
        examiner.Examiner().examine_pages(ONE_HAND),
        hand_finder.HandFinder().find_pages(ONE_HAND),
    ):
        (outcome,) = outcomes
        assert isinstance(outcome, PageError)
        assert "at most 20 are compared at once, so examine the page in parts" in str(outcome)
