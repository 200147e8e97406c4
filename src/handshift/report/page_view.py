"""Everything that the report of one page shows, in HTML as in PDF."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from handshift.attribution.verdict import Verdict
from handshift.page.archive.origin import known_as
from handshift.page.hand_labels import NO_HAND
from handshift.page.word_kind import WordKind
from handshift.page.word_overlay import KINDS, hand_colour
from handshift.report.data_uri import hex_colour
from handshift.report.equal_words import EqualWords, equal_words_of_hands
from handshift.report.findings_record import readable
from handshift.report.overlay import Mark, Overlay, overlay
from handshift.report.reference_plot import ReferencePlot, reference_plot
from handshift.report.side_by_side import SideBySide, side_by_side
from handshift.report.similarity_matrix import Matrix, matrix
from handshift.report.strip import strip_svg

LEGIBLE_SUSPECTS = 60  # rows of the table; a page half in another hand is better seen than listed


@dataclass(frozen=True, slots=True)
class Hand:
    """One hand of the page."""

    name: str
    colour: str
    words: int


@dataclass(frozen=True, slots=True)
class Kind:
    """Marks of one kind that are not compared."""

    name: str
    colour: str
    marks: int


@dataclass(frozen=True, slots=True)
class PageView:
    """A verdict prepared for display."""

    name: str
    path: str
    overlay: Overlay
    suspects: list[Mark]
    unlisted: int
    hands: tuple[Hand, ...]
    kinds: tuple[Kind, ...]
    """What is not compared."""
    matrix: Matrix | None
    reference_plot: ReferencePlot | None
    together: SideBySide | None
    equal: tuple[EqualWords, ...]
    """What every two hands both wrote; empty where words were not read."""
    strip: str
    gauge: float
    """Position of the log10 LR on the bar between its bounds, in percent; 50 is a ratio of 1."""
    gauge_interval: tuple[float, float]


def page_view(verdict: Verdict, hand: str) -> PageView:
    """Prepare a verdict for display; `hand` stands before the letter of a hand."""
    drawing = overlay(verdict)
    suspects = drawing.suspects
    names = sorted(
        {finding.hand for finding in verdict.words} - {NO_HAND}, key=lambda name: (len(name), name)
    )
    return PageView(
        name=readable(verdict.page.source.name),
        path=readable(known_as(verdict.page.source)),
        overlay=drawing,
        suspects=suspects[:LEGIBLE_SUSPECTS],
        unlisted=max(len(suspects) - LEGIBLE_SUSPECTS, 0),
        hands=tuple(
            Hand(name, hex_colour(hand_colour(name)), sum(finding.hand == name for finding in verdict.words))
            for name in names
        ),
        kinds=_kinds(verdict),
        matrix=matrix(verdict),
        reference_plot=reference_plot(verdict),
        together=side_by_side(verdict, drawing.marks),
        equal=equal_words_of_hands([(verdict.page, [word.hand for word in verdict.words])], names, hand),
        strip=strip_svg([verdict.handed], readable(verdict.page.source.name)),
        gauge=_place(verdict, verdict.log10_lr),
        gauge_interval=(_place(verdict, verdict.interval[0]), _place(verdict, verdict.interval[1])),
    )


def _kinds(verdict: Verdict) -> tuple[Kind, ...]:
    counts = Counter(word.kind for word in verdict.page.words)
    return tuple(
        Kind(kind.value, hex_colour(KINDS[kind]), counts[kind])
        for kind in WordKind
        if counts[kind] and kind is not WordKind.WRITING
    )


def _place(verdict: Verdict, log10_lr: float) -> float:
    reach = max(abs(bound) for bound in verdict.bounds) or 1.0
    return round(50 + 50 * min(max(log10_lr / reach, -1.0), 1.0), 2)
