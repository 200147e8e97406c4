"""A page of more words than can be compared at once is refused with advice."""

from __future__ import annotations

import pytest

from handshift.core.errors import PageError
from handshift.demo import ONE_HAND
from handshift.pipeline import examiner


def test_a_page_of_too_many_words_gets_a_clear_answer(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(examiner, "MOST_WORDS", 20)
    (outcome,) = examiner.Examiner().examine_pages(ONE_HAND)
    assert isinstance(outcome, PageError)
    assert "at most 20 are compared at once, so examine the page in parts" in str(outcome)
