"""A sheet of paper that takes ink and is scanned."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from handshift.corpus.scribes.page import Ink
from handshift.corpus.scribes.paper import Paper, blank_paper, paper_tooth, scanned
from handshift.corpus.scribes.pen import Pen

DPI = 150.0
MARGIN_MM = 12.0
_PAPERS = (Paper.PLAIN, Paper.PLAIN, Paper.TINTED, Paper.RULED)


class Sheet:
    """Random paper of a given size in pixels, at `DPI`."""

    def __init__(self, height: int, width: int, draw: np.random.Generator) -> None:
        style = _PAPERS[int(draw.integers(len(_PAPERS)))]
        rules = np.arange(draw.uniform(8, 20), height * 25.4 / DPI, draw.uniform(7.0, 9.5))
        self._draw = draw
        self._page = blank_paper(style, height, width, DPI, rules, draw)
        self._tooth = paper_tooth(height, width, draw)

    def take(self, ink: Ink, pen: Pen) -> None:
        """Cover the paper with a pen's ink; what lies outside of the sheet is left out."""
        x, y = ink.box[:2]
        top, left = max(0, -y), max(0, -x)
        opacity = ink.opacity[top:, left:][: self._page.shape[0] - y - top, : self._page.shape[1] - x - left]
        if not opacity.size:
            return
        spot = np.s_[y + top : y + top + opacity.shape[0], x + left : x + left + opacity.shape[1]]
        shown = np.clip(1 - pen.grain * (0.5 + 0.5 * self._tooth[spot]), 0.2, 1)
        cover = opacity.astype(np.float32) / 255 * shown
        self._page[spot] += (np.array(pen.colour, np.float32) - self._page[spot]) * cover[:, :, None]

    def scan(self) -> NDArray[np.uint8]:
        """(height, width, 3) RGB, with the scanner's noise."""
        return scanned(self._page, self._tooth, float(self._draw.uniform(0.8, 2.5)), self._draw)
