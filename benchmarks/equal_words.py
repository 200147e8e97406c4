"""Equal words of a comparison's report: how often the two pictures of a pair show the same word.

Page pairs of held-out writers are read by OCR, and the pairs that the report of `handshift verify` lays over
each other are judged by a transcription: of copiste that of every line, of CSAFE the London letter. The word
at a place is known where a line, or the letter, was found with as many words as were written; pairs with a
word that is not known are counted apart. Beside: the share of the known words that were read right.

Example: python benchmarks/equal_words.py --data ../shared/data
"""

from __future__ import annotations

import csv
from argparse import Namespace
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from result_file import Benchmark

from handshift.attribution.comparison import Comparison
from handshift.attribution.matching_words import plain_text
from handshift.attribution.verification import ComparedPage, ComparedSide, Verification
from handshift.calibration.pair_calibration import PairPropositions
from handshift.corpus.databases.reading import read_database
from handshift.corpus.databases.record import Record
from handshift.corpus.databases.splits import load_split
from handshift.metrics import bootstrap_interval
from handshift.page.ocr import Reader
from handshift.page.word import Page, Word
from handshift.page.word_kind import WordKind
from handshift.pipeline.read_pages import read_pages
from handshift.report.equal_words import equal_words

SEED, REPEATS = 2026, 300
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
    benchmark.options.add_argument("--part", default="test")
    benchmark.options.add_argument("--pages", type=int, default=16, help="of each database, one a writer")
    given = benchmark.begin()
    reader, result = Reader(), {"part": given.part, "seed": SEED}
    for database, truth in (("copiste", _lines(given.data)), ("csafe", _letter)):
        read = [_read(record, reader, truth) for record in _pages(given, database)]
        result[database] = _judged([page for page in read if page is not None])
        print(database, result[database], flush=True)
    benchmark.write(result)


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
        if database != "csafe" or record.prompt == "LND":
            first.setdefault(record.writer, record)
    return list(first.values())[: given.pages]


def _read(record: Record, reader: Reader, truth: Any) -> ReadPage | None:
    page = next(iter(read_pages(record.path)))
    if not isinstance(page, Page):
        return None
    return ReadPage(record.writer, reader.read(page), truth(record, page))


def _lines(data: Path) -> Any:
    """The words of every line of copiste that was found with as many as were written."""
    written: dict[str, list[tuple[float, float, list[str]]]] = defaultdict(list)
    with (data / "copiste" / "lines.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            top, height = float(row["y"]), float(row["h"])
            written[Path(row["path"]).name].append((top + height / 2, height, row["text"].split()))

    def known(record: Record, page: Page) -> dict[int, str]:
        found: dict[int, str] = {}
        for own in _by_line(page):
            middles = [_middle(page, page.words[at]) for at in own]
            centre, height, texts = min(
                written[record.path.name], key=lambda line: abs(line[0] - float(np.median(middles)))
            )
            if abs(centre - float(np.median(middles))) < height / 2 and len(texts) == len(own):
                found |= dict(zip(own, texts, strict=True))
        return {at: _plain(text) for at, text in found.items()}

    return known


def _letter(record: Record, page: Page) -> dict[int, str]:
    """All words of a London letter that was found with as many as it has."""
    own = [at for line in _by_line(page) for at in line]
    texts = LETTER.split()
    return {at: _plain(text) for at, text in zip(own, texts, strict=True)} if len(own) == len(texts) else {}


def _by_line(page: Page) -> Iterator[list[int]]:
    lines: dict[int, list[int]] = defaultdict(list)
    for at, word in enumerate(page.words):
        if word.kind is WordKind.WRITING:
            lines[word.line].append(at)
    yield from lines.values()


def _middle(page: Page, word: Word) -> float:
    box = page.on_scan(word.box)
    return box.y + box.height / 2


def _plain(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _judged(pages: Sequence[ReadPage]) -> dict[str, Any]:
    owner: list[str] = []
    right: list[bool] = []
    unknown = 0
    for at, one in enumerate(pages):
        for two in pages[at + 1 :]:
            for pair in equal_words(_verification(one, two)):
                texts = [_known(page, word) for page, word in zip((one, two), pair.words, strict=True)]
                if None in texts:
                    unknown += 1
                else:
                    owner.append(one.writer)
                    right.append(texts[0] == texts[1])
    words = [(_known(page, word), word) for page in pages for word in page.page.words if word.text]
    read = [plain_text(word) == text for text, word in words if text]
    values = np.array(right)
    interval = bootstrap_interval(
        np.array(owner), lambda rows: float(values[rows].mean()), repeats=REPEATS, seed=SEED
    )
    return {
        "pages": len(pages),
        "pairs_judged": len(right),
        "pairs_not_judged": unknown,
        "equal": round(interval.value, 4),
        "interval": [round(interval.low, 4), round(interval.high, 4)],
        "words_read": len(read),
        "read_right": round(float(np.mean(read)), 4) if read else None,
    }


def _verification(one: ReadPage, two: ReadPage) -> Verification:
    """As `verify` hands it to the report; the ratio does not matter here."""
    nothing = Comparison(0.0, 0.0, (0.0, 0.0), (1, 1), PairPropositions("", "", ""), "")
    sides = []
    for read in (one, two):
        compared = ComparedPage(read.page, np.zeros(len(read.page.words)))
        sides.append(ComparedSide(read.writer, (compared,), {}))
    return Verification(nothing, (sides[0], sides[1]))


def _known(read: ReadPage, word: Word) -> str | None:
    at = next(number for number, own in enumerate(read.page.words) if own.box == word.box)
    return read.known.get(at)


if __name__ == "__main__":
    main()
