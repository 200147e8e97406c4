"""Synthetic scribes: any text in any of many consistent hands, with ground truth for every word."""

from handshift.corpus.scribes.demo_pages import demo_one_hand, demo_two_hands
from handshift.corpus.scribes.flow import Passage, mixed_passages
from handshift.corpus.scribes.ground_truth import save_page
from handshift.corpus.scribes.layout import Layout
from handshift.corpus.scribes.page import ScribedPage, ScribedWord, draw_page, draw_word
from handshift.corpus.scribes.paper import Paper
from handshift.corpus.scribes.pen import Pen
from handshift.corpus.scribes.scribe import Scribe

__all__ = [
    "Layout",
    "Paper",
    "Passage",
    "Pen",
    "Scribe",
    "ScribedPage",
    "ScribedWord",
    "demo_one_hand",
    "demo_two_hands",
    "draw_page",
    "draw_word",
    "mixed_passages",
    "save_page",
]
