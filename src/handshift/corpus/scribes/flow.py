"""Breaks passages into lines; several hands may write on one page, also within a line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from handshift.core.errors import CorpusError
from handshift.corpus.scribes.letters import writable
from handshift.corpus.scribes.scribe import Scribe
from handshift.corpus.scribes.seeds import chance
from handshift.corpus.scribes.trace import Trace, trace_word


class Passage(NamedTuple):
    """Text by one hand; the next passage continues where it ends."""

    scribe: Scribe
    text: str


@dataclass(frozen=True)
class PlacedWord:
    """A word and where its baseline begins, in millimetres from the text block's upper left corner."""

    scribe: Scribe
    text: str
    trace: Trace
    line: int
    x: float


def mixed_passages(text: str, main: Scribe, other: Scribe, start: int, count: int) -> tuple[Passage, ...]:
    """Split a text between two scribes.

    Args:
        text: The whole text.
        main: Writes most of it.
        other: Writes ``count`` words from word ``start``.
        start: First word of ``other``, from 0.
        count: Number of words of ``other``.

    Returns:
        The passages in order.

    Raises:
        CorpusError: The text does not have these words.
    """
    words = list(re.finditer(r"\S+", text))
    if start < 0 or count < 1 or start + count > len(words):
        raise CorpusError(
            f"words {start} to {start + count - 1} are not in the text, which has words 0 to {len(words) - 1}"
        )
    first, last = words[start].start(), words[start + count - 1].end()
    parts = ((main, text[:first]), (other, text[first:last]), (main, text[last:]))
    return tuple(Passage(scribe, part) for scribe, part in parts if part.strip())


def flow(passages: Sequence[Passage], width_mm: float, seed: int) -> list[PlacedWord]:
    """Break passages into lines no wider than ``width_mm``; a newline in a text starts a new line.

    Args:
        passages: Text and scribe of each passage.
        width_mm: Width of the text block.
        seed: Seed of the page.

    Returns:
        The words with their traces and positions.

    Raises:
        CorpusError: A word is wider than the line, or a character is unknown.
    """
    placed: list[PlacedWord] = []
    line, x = 0, 0.0
    number = 0
    for passage in passages:
        for row, part in enumerate(writable(passage.text).split("\n")):
            if row and x > 0:
                line, x = line + 1, 0.0
            for text in part.split():
                # Seeded by position, so that changing a word does not change how the others are drawn.
                draw = chance("word", seed, number)
                trace = trace_word(passage.scribe, text, draw)
                if trace.advance > width_mm:
                    raise CorpusError(
                        f"the word {text!r} is {trace.advance:.0f} mm wide in the hand of scribe "
                        f"{passage.scribe.number}, the line only {width_mm:.0f} mm; use a wider page"
                    )
                if x + trace.advance > width_mm:
                    line, x = line + 1, 0.0
                placed.append(PlacedWord(passage.scribe, text, trace, line, x))
                traits = passage.scribe.traits
                gap = traits.word_gap * float(np.exp(0.16 * draw.standard_normal()))
                x += trace.advance + gap * traits.x_height_mm
                number += 1
    return placed
