"""`Reader`: optional recognition of words by rapidocr, so that equal words can be compared."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from handshift.core.errors import HandshiftError
from handshift.page.word import Box, Page

LEAST_SURE, LEAST_SURE_OF_SHORT, SHORT = 0.5, 0.75, 5
"""Results with a lower recognition score are discarded, those of fewer letters already below the second.

Of 208 pairs of words read alike on French validation pages, 24 were different words, such as les and des; all
of them have fewer than five letters, and all but two hold a word read with less than 0.75.
"""
_MARGIN = 4


def can_read() -> bool:
    """Whether the `ocr` extra is installed."""
    return find_spec("rapidocr") is not None


class Reader:
    """rapidocr's recogniser without its detector: the words are already located.

    Raises:
        HandshiftError: The ``ocr`` extra is not installed.
    """

    def __init__(self) -> None:
        if not can_read():
            raise HandshiftError("reading words needs rapidocr: pip install 'handshift[ocr]'")
        from rapidocr import RapidOCR

        self._engine: Any = RapidOCR(params={"Global.log_level": "critical"})  # else it logs every file

    def read(self, page: Page) -> Page:
        """Return the page with the text of every word that could be recognised; existing text is kept."""
        words = [
            word if word.text is not None else replace(word, text=self._text(page, word.box))
            for word in page.words
        ]
        return replace(page, words=tuple(words))

    def _text(self, page: Page, box: Box) -> str | None:
        top, left = max(box.y - _MARGIN, 0), max(box.x - _MARGIN, 0)
        crop = page.image[top : box.y + box.height + _MARGIN, left : box.x + box.width + _MARGIN, ::-1]
        found = self._engine(crop, use_det=False, use_cls=False, use_rec=True)
        if not found.txts or not found.scores:
            return None
        text = str(found.txts[0]).strip()
        short = sum(letter.isalnum() for letter in text) < SHORT
        sure = found.scores[0] >= (LEAST_SURE_OF_SHORT if short else LEAST_SURE)
        return text if text and sure else None
