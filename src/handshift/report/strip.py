"""A strip chart of a document: one cell a word, in the colour of its hand, paler where it is less certain."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from handshift.page.hand_labels import HandsOnPage
from handshift.page.word_kind import WordKind
from handshift.page.word_overlay import KINDS, hand_colour

CELL, HEIGHT, GAP, MARGIN = 9.0, 22.0, 14.0, 64.0
"""Drawing units: a word's width, a strip's height, the room between strips and before them."""
PALEST = 0.25
_MOST_ACROSS = 100


def strip_svg(pages: Sequence[HandsOnPage], title: str = "handshift") -> str:
    """Draw a strip for each page, long ones folded; ticks separate lines, each hand is named at its start."""
    rows: list[str] = []
    top = GAP + 6
    for number, handed in enumerate(pages, 1):
        for start in range(0, max(1, len(handed.hands)), _MOST_ACROSS):
            label = f"{number}" if start == 0 else ""
            rows.append(f'<text x="0" y="{top + 0.68 * HEIGHT:.1f}" class="page">{label}</text>')
            rows += _cells(handed, start, top)
            top += HEIGHT + GAP
    longest = min(_MOST_ACROSS, max((len(handed.hands) for handed in pages), default=1))
    width = MARGIN + CELL * longest + 8
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {top:.0f}" width="{width:.0f}" '
        f'height="{top:.0f}" font-family="sans-serif" role="img">\n'
        f"<title>{escape(title)} · handshift</title>\n"
        "<style>.page{font-size:12px;fill:#777}.hand{font-size:11px;font-weight:bold}</style>\n"
        + "\n".join(rows)
        + "\n</svg>\n"
    )


def _cells(handed: HandsOnPage, start: int, top: float) -> list[str]:
    cells: list[str] = []
    words = handed.page.words
    for place in range(start, min(start + _MOST_ACROSS, len(words))):
        hand, certainty = handed.hands[place], handed.certainty[place]
        x = MARGIN + CELL * (place - start)
        compared = words[place].kind is WordKind.WRITING
        colour = "#{:02x}{:02x}{:02x}".format(*(hand_colour(hand) if compared else KINDS[words[place].kind]))
        opacity = PALEST + (1 - PALEST) * min(max(certainty, 0.0), 1.0)
        tooltip = escape(
            f"{place + 1}{f' “{words[place].text}”' if words[place].text else ''}: "
            + (f"{hand} {certainty:.2f}" if compared else words[place].kind.value)
        )
        # What is not compared is a low bar, so that it is not taken for a hand.
        high, y = (HEIGHT, top) if compared else (HEIGHT / 4, top + 0.75 * HEIGHT)
        cells.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{CELL - 1:.1f}" height="{high:.1f}" fill="{colour}" '
            f'fill-opacity="{opacity:.2f}"><title>{tooltip}</title></rect>'
        )
        if compared and (place == start or handed.hands[place - 1] != hand):
            cells.append(
                f'<text x="{x:.1f}" y="{top - 3:.1f}" class="hand" fill="{colour}">{escape(hand)}</text>'
            )
        if place > start and words[place - 1].line != words[place].line:
            tick = top + HEIGHT
            cells.append(f'<path d="M{x - 0.5:.1f} {tick:.1f}v4" stroke="#999" fill="none"/>')
    return cells
