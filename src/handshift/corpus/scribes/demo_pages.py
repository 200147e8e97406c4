"""The bundled example pages: one by a single hand, one with an insertion by a second hand."""

from __future__ import annotations

from handshift.corpus.scribes.flow import Passage, mixed_passages
from handshift.corpus.scribes.layout import Layout
from handshift.corpus.scribes.page import ScribedPage, draw_page
from handshift.corpus.scribes.pen import Pen
from handshift.corpus.scribes.scribe import Scribe
from handshift.corpus.scribes.texts import ENGLISH

MAIN, OTHER = Scribe(11), Scribe(5)
"""Two hands that the shipped model separates: a demonstration, not a measurement (that is `results/`)."""
_SHEET = Layout(height_mm=150.0, line_pitch_mm=12.5)
_PEN = Pen(ink="blue-black", width_mm=0.42, darkness=0.86)
"""One pen for both hands, as when somebody adds to a letter with the pen that lies beside it."""


def demo_one_hand() -> ScribedPage:
    """Return a letter of 87 words by one scribe."""
    return draw_page([Passage(MAIN, ENGLISH)], seed=11, layout=_SHEET, pen=_PEN)


def demo_two_hands() -> ScribedPage:
    """Return the same letter with words 46 to 60 (from 1) by another scribe."""
    passages = mixed_passages(ENGLISH, MAIN, OTHER, start=45, count=15)
    return draw_page(passages, seed=12, layout=_SHEET, pen=_PEN)
