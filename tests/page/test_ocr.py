"""What OCR reads is kept where it is sure enough, short texts where it is surer."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from handshift.core.errors import HandshiftError
from handshift.page import ocr
from handshift.page.word import Box, Page, Word

SAID = [
    ("London", 0.55),
    ("London", 0.45),
    ("les", 0.7),
    ("les", 0.8),
    ("l'es!", 0.7),
    (" ", 0.99),
    (None, 0.0),
]


class Engine:
    """A recogniser that says what it is told, one word after the other."""

    def __init__(self, params: object) -> None:
        self.left = list(SAID)

    def __call__(self, crop: np.ndarray, **_: bool) -> SimpleNamespace:
        assert crop.shape[2] == 3
        text, score = self.left.pop(0)
        return SimpleNamespace(txts=(text,) if text else None, scores=(score,) if text else None)


def page(texts: list[str | None]) -> Page:
    words = tuple(
        Word(Box(5, 12 * at, 20, 10), at, np.zeros((1, 1), np.uint8), text) for at, text in enumerate(texts)
    )
    return Page(np.full((12 * len(texts), 40, 3), 255, np.uint8), words, Path("a.png"), "ab" * 32)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("rapidocr")
    module.RapidOCR = Engine  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "rapidocr", module)
    monkeypatch.setattr(ocr, "can_read", lambda: True)


def test_short_texts_need_a_higher_score(engine):
    read = ocr.Reader().read(page([None] * len(SAID)))
    assert [word.text for word in read.words] == ["London", None, None, "les", None, None, None]


def test_a_transcription_is_kept(engine):
    read = ocr.Reader().read(page(["Turin", None]))
    assert [word.text for word in read.words] == ["Turin", "London"]


def test_the_extra_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setattr(ocr, "can_read", lambda: False)
    with pytest.raises(HandshiftError, match=r"handshift\[ocr\]"):
        ocr.Reader()
