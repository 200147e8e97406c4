"""The report of a document's hands: how many writers, every link with its ratio, every page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.attribution.document import Document, HandedPage, likely_numbers
from handshift.attribution.hand_links import HandLink
from handshift.calibration.verbal_scale import WRITERS, Language
from handshift.core.number_ranges import number_ranges
from handshift.page.archive.origin import known_as
from handshift.page.restore_pixels import with_pixels
from handshift.page.word import Page
from handshift.page.word_overlay import draw_words
from handshift.report.comparison_report import propositions_section
from handshift.report.equal_words import equal_words_of_hands
from handshift.report.findings_record import readable
from handshift.report.page_report import signed, texts
from handshift.report.run_header import Run
from handshift.report.sheet import Picture, Section, Sheet

MOST_PAIRS = 40
"""Pairs of pages that are listed; JSON has all."""
_LONGEST = 700
"""Pixels of a page's picture."""


def document_sheet(document: Document, run: Run) -> Sheet:
    """Prepare the hands of a document for display."""
    t = texts(run.language)
    hands, pages = len(document.hands), len(document.pages)
    words = sum(document.hands.values())
    return Sheet(
        kicker=t["doc_title"],
        title=readable(document.pages[0].page.source.name) + (f" … ({pages})" if pages > 1 else ""),
        headline=t["doc_headline"].format(hands=hands, pages=pages),
        sentences=tuple(_sentences(document, t)),
        warnings=document.warnings,
        sections=tuple(_sections(document, run, words)),
        limits=(t["limit_casework"], t["pair_limit_session"], t["limit_population"], t["limit_words"]),
        files=files_of(handed.page for handed in document.pages),
        scope=document.scope,
        scope_of_pages=tuple(document.scope_lines(run.language)),
    )


def _sentences(document: Document, t: dict[str, str]) -> Iterator[str]:
    prior = ", ".join(f"{share:.2g}" for share in document.prior)
    if document.writers:
        found = likely_numbers(document.writers)
        yield t["doc_writers"].format(shares=found)
        yield t["doc_prior"].format(
            same=f"{document.same_prior:.2g}", shares=likely_numbers(document.writers_prior)
        )
    yield t["doc_prior_hands"].format(most=len(document.prior), shares=prior)


def _sections(document: Document, run: Run, words: int) -> Iterator[Section]:
    t = texts(run.language)
    yield Section(
        t["doc_hands"],
        header=(t["hand"], t["words"], t["doc_share"], t["doc_pages"]),
        rows=tuple(
            (hand, str(count), f"{count / words:.0%}", number_ranges(document.pages_of(hand)))
            for hand, count in document.hands.items()
        ),
    )
    yield _numbers(document, t)
    if document.links:
        yield Section(
            t["doc_links"],
            t["doc_links_note"],
            header=(
                t["page"],
                t["hand"],
                t["words"],
                t["doc_link"],
                "log10 LR",
                t["term_bounds"],
                t["meaning"],
            ),
            rows=tuple(_link(link, run) for link in document.links),
        )
    if document.turned:
        yield Section(
            t["doc_turned"],
            t["doc_turned_note"],
            header=(t["doc_pages"], t["hand"], "log10 LR"),
            rows=tuple(
                (f"{pair.pages[0]}, {pair.pages[1]}", " · ".join(pair.hands), signed(pair.log10_lr))
                for pair in document.turned[:MOST_PAIRS]
            ),
        )
    changes = list(document.changes)
    if changes:
        yield Section(
            t["doc_changes"],
            header=(t["page"], t["line"], t["place"], t["hand"], t["posterior"]),
            rows=tuple(
                (
                    str(change.page),
                    str(change.line),
                    str(change.word),
                    f"{change.before} → {change.after}",
                    f"{change.certainty:.2f}",
                )
                for change in changes[:MOST_PAIRS]
            ),
        )
    for equal in equal_words_of_hands(_readable_pages(document), list(document.hands), t["hand"]):
        heading = f"{t['equal_title']}: {', '.join(equal.names)}"
        yield Section(heading, t["equal_note"], equal=equal)
    yield Section(
        t["pair_pages"],
        t["doc_pages_note"],
        pictures=tuple(_picture(number, page) for number, page in enumerate(document.pages, 1)),
    )
    if document.propositions and document.links:
        yield propositions_section(document.propositions, run)
    else:
        population = document.population
        if run.language is not Language.en:
            population = run.populations.get(run.language, population)
        yield Section(t["population"], sentences=(population,))


def _numbers(document: Document, t: dict[str, str]) -> Section:
    """How many hands each page has by itself, and which of the document's."""
    most = len(document.prior)
    numbers = tuple(f"P({number})" for number in range(1, most + 1))
    return Section(
        t["doc_numbers"],
        t["doc_numbers_note"].format(most=most),
        header=(t["page"], t["file"], *numbers, t["hand"]),
        rows=tuple(
            (
                str(number),
                readable(page.page.source.name),
                *(f"{share:.2f}" for share in page.number),
                ", ".join(page.present),
            )
            for number, page in enumerate(document.pages, 1)
        ),
    )


def _readable_pages(document: Document) -> Iterator[tuple[Page, Sequence[str]]]:
    """The pages that show most of each hand, if texts are known, with the hand of each word."""
    for place in document.telling_pages() if len(document.hands) > 1 else ():
        handed = document.pages[place]
        if any(word.text for word in handed.page.words):
            yield with_pixels(handed.page), handed.hands


def _link(link: HandLink, run: Run) -> tuple[str, ...]:
    t = texts(run.language)
    how = t["doc_linked" if link.linked else "doc_nearest"].format(hand=link.to)
    if link.withheld:
        return (str(link.page), link.hand, str(link.words), how, "–", "", t["scope_withheld"])
    marks = [t["doc_weak"]] * link.weak + [t["doc_decided"]] * link.turned
    support = run.scale.support(link.log10_lr, run.language, WRITERS)
    return (
        str(link.page),
        link.hand,
        str(link.words),
        how,
        signed(link.log10_lr),
        t["term_to"].format(low=signed(link.bounds[0]), high=signed(link.bounds[1])),
        "; ".join([support, *marks]),
    )


def _picture(number: int, handed: HandedPage) -> Picture:
    page = with_pixels(handed.page)  # one at a time: a page takes 25 MB
    shaded = draw_words(page.image, [word.box for word in page.words], list(handed.hands))
    hands = ", ".join(handed.present)
    return Picture(small_picture(shaded), f"{number} · {readable(page.source.name)} · {hands}", 0.31)


def files_of(pages: Iterable[Page]) -> tuple[tuple[str, str], ...]:
    """(path, SHA-256) of every file, once."""
    return tuple(dict.fromkeys((readable(known_as(page.source)), page.sha256) for page in pages))


def small_picture(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Shrink a page to the size of a picture among others."""
    scale = min(1.0, _LONGEST / max(image.shape[:2]))
    size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
