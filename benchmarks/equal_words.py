"""Equal words of a comparison's report: how often the two pictures of a pair show the same word.

Page pairs of held-out writers are read by OCR, and the pairs that the report of `handshift verify` lays over
each other are judged by a transcription. What a word says is known, of copiste, where its line was found with
as many words as were written on it and two others of them were read as written; of CSAFE's London letter,
where the nearest other words before and after it that were read as they stand there have as many words
between them as there, six at most. How it was read itself does not count. Pairs with an unknown word are
counted apart.
Beside: the share of the known words that were read right, and how many letters a pair of pages shows.

What was read is journalled in ``--cache`` page by page, so that a run may be stopped and resumed.

Example: python benchmarks/equal_words.py --data ../shared/data
"""

from __future__ import annotations

import csv
from argparse import Namespace
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np
from journalled_pieces import add, rows
from result_file import Benchmark

from handshift.attribution.comparison import Comparison
from handshift.attribution.matching_words import plain_text
from handshift.attribution.verification import ComparedPage, ComparedSide, Verification
from handshift.calibration.pair_calibration import PairPropositions
from handshift.corpus.databases.reading import read_database
from handshift.corpus.databases.record import Holds, Record
from handshift.corpus.databases.splits import load_split
from handshift.metrics import bootstrap_interval
from handshift.page.ocr import Reader
from handshift.page.word import Page, Word
from handshift.page.word_kind import WordKind
from handshift.pipeline.read_pages import read_pages
from handshift.report.equal_words import equal_words

SEED, REPEATS, MOST_BETWEEN, FEWEST_READ = 2026, 300, 6, 2
LETTER = (
    "Our London business is good, but Vienna and Berlin are quiet. Mr. D. Lloyd has gone to Switzerland "
    "and I hope for good news. He will be there for a week at 1496 Zermott Street and then goes to Turin and "
    "Rome and will join Colonel Parry and arrive at Athens, Greece, November 27 or December 2. Letters there "
    "should be addressed King James Blvd. 3580. We expect Charles E. Fuller Tuesday. Dr. L. McQuaid and "
    "Robert Unger, Esq., left on the 'Y.X.' Express tonight."
)


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    benchmark.options.add_argument("--data", type=Path, default=Path("../shared/data"))
    benchmark.options.add_argument("--splits", type=Path, default=Path("studies/splits"))
    benchmark.options.add_argument("--cache", type=Path, default=Path("runs/equal-words"))
    benchmark.options.add_argument("--part", default="test")
    benchmark.options.add_argument("--pages", type=int, default=16, help="of each database, one a writer")
    given = benchmark.begin()
    texts = Texts(given.cache / "read.jsonl")
    written = _lines(given.data)
    result: dict[str, Any] = {"part": given.part, "seed": SEED}
    for database in ("copiste", "csafe"):
        read = []
        for record in _pages(given, database):
            page = texts.read(record)
            if page is not None:
                lines = written[record.path.name]
                known = _by_line(page, lines) if database == "copiste" else _by_neighbours(page)
                read.append(ReadPage(record.writer, page, known))
        result[database] = _judged(read)
        print(database, result[database], flush=True)
    benchmark.write(result)


class Texts:
    """What OCR read on each page, by the file's hash; read once."""

    def __init__(self, state: Path) -> None:
        state.parent.mkdir(parents=True, exist_ok=True)
        self._state, self._reader = state, Reader()
        self._known = {row["sha256"]: row["words"] for row in rows(state)}

    def read(self, record: Record) -> Page | None:
        """The page with the texts of its words; None where it cannot be read."""
        page = next(iter(read_pages(record.path)))
        if not isinstance(page, Page):
            return None
        known = self._known.get(page.sha256)
        if known is None or [list(word.box) for word in page.words] != [box for box, _ in known]:
            read = self._reader.read(page)
            known = [[list(map(int, word.box)), word.text] for word in read.words]
            add(self._state, {"sha256": page.sha256, "words": known})
        words = (replace(word, text=text) for word, (_, text) in zip(page.words, known, strict=True))
        return replace(page, words=tuple(words))


@dataclass(frozen=True)
class ReadPage:
    """A page as OCR read it, and the words that are known to stand there."""

    writer: str
    page: Page
    known: dict[int, str]
    """True text without case and punctuation, by the word's number on the page."""


def _pages(given: Namespace, database: str) -> list[Record]:
    """The first page of each writer; of CSAFE the letter."""
    everything = read_database(given.data, database)
    own = everything.written_by(load_split(everything, given.splits).parts[given.part]).records
    first: dict[str, Record] = {}
    for record in own:
        if record.holds is Holds.PAGE and (database != "csafe" or record.prompt == "LND"):
            first.setdefault(record.writer, record)
    return list(first.values())[: given.pages]


@dataclass(frozen=True)
class Line:
    """One line of a transcription, in pixels of the scan."""

    middle: float
    height: float
    words: list[str]


def _lines(data: Path) -> dict[str, list[Line]]:
    """The lines of every page of copiste, by its file."""
    written: dict[str, list[Line]] = defaultdict(list)
    with (data / "copiste" / "lines.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            top, height = float(row["y"]), float(row["h"])
            words = [text for text in map(_plain, row["text"].split()) if text]
            written[Path(row["path"]).name].append(Line(top + height / 2, height, words))
    return written


def _by_line(page: Page, lines: Sequence[Line]) -> dict[int, str]:
    """The words of every line that was found with as many as were written, two others of which were read."""
    found: dict[int, list[int]] = defaultdict(list)
    for at, word in enumerate(page.words):
        if word.kind is WordKind.WRITING:
            found[word.line].append(at)
    known: dict[int, str] = {}
    for own in found.values():
        boxes = [page.on_scan(page.words[at].box) for at in own]
        middle = float(np.median([box.y + box.height / 2 for box in boxes]))
        line = min(lines, key=lambda one: abs(one.middle - middle))
        if abs(line.middle - middle) < line.height / 2 and len(line.words) == len(own):
            read = [plain_text(page.words[at]) == text for at, text in zip(own, line.words, strict=True)]
            rows = zip(own, line.words, read, strict=True)
            known |= {at: text for at, text, right in rows if sum(read) - right >= FEWEST_READ}
    return known


def _by_neighbours(page: Page) -> dict[int, str]:
    """The words of a London letter between two that were read as in it, with as many words between."""
    own = [at for at, word in enumerate(page.words) if word.kind is WordKind.WRITING]
    read = [plain_text(page.words[at]) for at in own]
    said = [text for text in map(_plain, LETTER.split()) if text]
    matches = SequenceMatcher(None, read, said, autojunk=False).get_matching_blocks()
    place = {block.a + step: block.b + step for block in matches for step in range(block.size)}
    known: dict[int, str] = {}
    for at in range(len(own)):
        before = max((other for other in place if other < at), default=None)
        after = min((other for other in place if other > at), default=None)
        if before is not None and after is not None:
            apart = after - before
            if apart == place[after] - place[before] and apart <= MOST_BETWEEN + 1:
                known[own[at]] = said[place[before] + at - before]
    return known


def _plain(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _judged(pages: Sequence[ReadPage]) -> dict[str, Any]:
    owner: list[str] = []
    right: list[bool] = []
    letters: list[int] = []
    wrong: dict[str, int] = defaultdict(int)
    unknown = 0
    for at, one in enumerate(pages):
        for two in pages[at + 1 :]:
            shown = equal_words(_verification(one, two))
            letters.append(len(shown.letters))
            for pair in shown.words:
                texts = [_said(page, word) for page, word in zip((one, two), pair.words, strict=True)]
                if None in texts:
                    unknown += 1
                    continue
                owner.append(one.writer)
                right.append(texts[0] == texts[1])
                if not right[-1]:
                    wrong[f"{pair.text}: {texts[0]}, {texts[1]}"] += 1
    words = [(page.known.get(at), word) for page in pages for at, word in enumerate(page.page.words)]
    read = [plain_text(word) == text for text, word in words if text]
    values = np.array(right, np.float64) if right else np.array([np.nan])
    interval = bootstrap_interval(
        np.array(owner or [""]), lambda chosen: float(values[chosen].mean()), repeats=REPEATS, seed=SEED
    )
    return {
        "pages": len(pages),
        "page_pairs": len(letters),
        "pairs_judged": len(right),
        "pairs_not_judged": unknown,
        "equal": round(interval.value, 4) if right else None,
        "interval": [round(interval.low, 4), round(interval.high, 4)] if right else None,
        "unequal": dict(sorted(wrong.items(), key=lambda item: -item[1])[:20]),
        "letters_a_page_pair": round(float(np.mean(letters)), 2),
        "words_known": len(read),
        "read_right": round(float(np.mean(read)), 4),
    }


def _verification(one: ReadPage, two: ReadPage) -> Verification:
    """As `verify` hands it to the report; the ratio does not matter here."""
    nothing = Comparison(0.0, 0.0, (0.0, 0.0), (1, 1), PairPropositions("", "", ""), "")
    sides = []
    for read in (one, two):
        kinds = [word.kind is WordKind.WRITING for word in read.page.words]
        compared = ComparedPage(read.page, np.where(kinds, 0.0, np.nan))
        sides.append(ComparedSide(read.writer, (compared,), {}))
    return Verification(nothing, (sides[0], sides[1]))


def _said(read: ReadPage, word: Word) -> str | None:
    at = next(number for number, own in enumerate(read.page.words) if own.box == word.box)
    return read.known.get(at)


if __name__ == "__main__":
    main()
