"""What the terminal shows of a document's hands."""

from __future__ import annotations

from itertools import groupby, islice

from rich.console import Console
from rich.table import Table
from rich.text import Text

from handshift.evidence.hands.document import Document, HandedPage
from handshift.page.draw import hand_colour

MOST_CHANGES = 40
UNSURE = 0.75
"""Below, a word's letter is small in the strip."""


def show_document(screen: Console, document: Document) -> None:
    """Print who wrote how much, each page's strip, the changes, and what it all rests on."""
    screen.print(Text(str(document).splitlines()[0], "bold"), soft_wrap=True)
    screen.print(_hands(document))
    screen.print(_pages(document))
    for number, page in enumerate(document.pages, 1):
        screen.print(strip(number, page), soft_wrap=True)
    changes = list(islice(document.changes, MOST_CHANGES + 1))
    for change in changes[:MOST_CHANGES]:
        where = f"page {change.page}, line {change.line}, word {change.word}"
        screen.print(Text(f"  {where}: {change.before} → {change.after} ({change.certainty:.2f})"))
    if len(changes) > MOST_CHANGES:
        screen.print(Text("  and more; --json lists every change", "dim"))
    for line in str(document).splitlines()[1:]:
        screen.print(Text(line, "dim"), soft_wrap=True)
    screen.print(Text("  Not validated for casework.", "dim"))


def strip(number: int, page: HandedPage) -> Text:
    """One letter a word, small where its hand is not certain; lines parted by bars."""
    line = Text(f"p. {number:<4}")
    words = list(zip(page.page.words, page.hands, page.certainty, strict=True))
    for _, members in groupby(words, key=lambda row: row[0].line):
        for _, hand, certainty in members:
            red, green, blue = hand_colour(hand)
            letter = hand if certainty >= UNSURE else hand.lower()
            line.append(letter, f"rgb({red},{green},{blue})" + (" bold" if hand != "A" else ""))
        line.append("|", "dim")
    return line


def _hands(document: Document) -> Table:
    table = Table(box=None, padding=(0, 2))
    for name in ("hand", "words", "share", "pages"):
        table.add_column(name, justify="left" if name in ("hand", "pages") else "right")
    total = sum(document.hands.values())
    for hand, count in document.hands.items():
        on = _ranges(document.pages_of(hand))
        table.add_row(*map(Text, (hand, str(count), f"{count / total:.0%}", on)))
    return table


def _pages(document: Document) -> Table:
    table = Table(box=None, padding=(0, 2))
    table.add_column("page", justify="right")
    table.add_column("file")
    for number in range(1, len(document.prior) + 1):
        table.add_column(f"P({number})", justify="right")
    table.add_column("hands")
    for number, page in enumerate(document.pages, 1):
        shares = [f"{share:.2f}" for share in page.number]
        table.add_row(
            *map(Text, (str(number), page.page.source.name, *shares, " ".join(sorted(page.present))))
        )
    return table


def _ranges(numbers: list[int]) -> str:
    """1–3, 5 for 1, 2, 3, 5."""
    parts = []
    for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        members = [number for _, number in run]
        parts.append(f"{members[0]}–{members[-1]}" if len(members) > 1 else str(members[0]))
    return ", ".join(parts)
