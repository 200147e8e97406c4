"""Verdicts on the terminal."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

from handshift.attribution.verdict import Verdict
from handshift.calibration.propositions import Propositions
from handshift.cli.examine_options import ExamineOptions
from handshift.core.counted import counted
from handshift.core.errors import PageError
from handshift.core.terminal_text import one_line
from handshift.page.hand_labels import MAIN_HAND

MOST_ROWS = 30
PIPED_WIDTH = 110  # columns where the output is not a terminal


def console(error: bool = False) -> Console:
    """Write to standard output or error; wide enough for the table when piped into a file."""
    stream = sys.stderr if error else sys.stdout
    width = None if stream.isatty() else PIPED_WIDTH
    return Console(stderr=error, highlight=False, width=width)


def show_verdict(screen: Console, verdict: Verdict, options: ExamineOptions) -> None:
    """Print one line for the page, and a table of the words that are set apart."""
    page = verdict.page
    line = Text(f"{one_line(page.source)} p.{page.number + 1}: {counted(len(verdict.words), 'word')}, ")
    line.append(f"log10 LR {verdict.log10_lr:+.2f}", "bold")
    line.append(f" ({verdict.interval[0]:+.2f} to {verdict.interval[1]:+.2f})")
    line.append(f", {options.scale.support(verdict.log10_lr, options.language)}, {_hands(verdict)}")
    screen.print(line, soft_wrap=True)
    for warning in verdict.warnings:
        screen.print(Text(f"  warning: {warning}", "yellow"), soft_wrap=True)
    if any(finding.suspect for finding in verdict.words):
        screen.print(_table(verdict))


def show_propositions(screen: Console, propositions: Propositions) -> None:
    """Print what the likelihood ratios above compare, without which they mean nothing."""
    screen.print(Text("log10 LR compares:", "bold"))
    screen.print(Text(f"  more than one hand: {propositions.several_hands}"), soft_wrap=True)
    screen.print(Text(f"  one hand: {propositions.one_hand}"), soft_wrap=True)
    screen.print(Text(f"  among: {propositions.population}"), soft_wrap=True)
    screen.print(Text("  Not validated for casework.", "dim"))


def show_failures(screen: Console, failures: list[PageError]) -> None:
    """List what could not be examined."""
    for failure in failures:
        screen.print(Text(f"not examined: {failure}", "red"), soft_wrap=True)


def _hands(verdict: Verdict) -> str:
    others = sum(finding.hand != MAIN_HAND for finding in verdict.words)
    if verdict.hands == 1:
        return "1 hand"
    return f"{verdict.hands} hands ({counted(others, 'word') if others else 'no word'} set apart)"


def _table(verdict: Verdict) -> Table:
    """Build the table of words in reading order; a page half in another hand is cut short."""
    texts = any(word.text for word in verdict.page.words)
    table = Table(box=None, padding=(0, 2), title_justify="left")
    for name in ("word", "line"):
        table.add_column(name, justify="right")
    table.add_column("box x, y, width, height")
    table.add_column("hand")
    table.add_column("posterior", justify="right")
    if texts:
        table.add_column("text")
    pairs = enumerate(zip(verdict.page.words, verdict.words, strict=True), 1)
    apart = [(number, word, finding) for number, (word, finding) in pairs if finding.suspect]
    for number, word, finding in apart[:MOST_ROWS]:
        cells = [str(number), str(word.line + 1), ", ".join(map(str, word.box)), finding.hand]
        cells += [f"{finding.posterior:.2f}", *[one_line(word.text or "")] * texts]
        table.add_row(*map(Text, cells))
    if len(apart) > MOST_ROWS:
        table.caption = f"and {len(apart) - MOST_ROWS} more, marked in the report"
        table.caption_justify = "left"
    return table
