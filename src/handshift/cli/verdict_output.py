"""Verdicts on the terminal."""

from __future__ import annotations

import sys
from collections import Counter

from rich.console import Console
from rich.table import Table
from rich.text import Text

from handshift.attribution.verdict import Verdict
from handshift.calibration.propositions import Propositions
from handshift.calibration.verbal_scale import Language
from handshift.cli.examine_options import ExamineOptions
from handshift.core.counted import counted
from handshift.core.errors import PageError
from handshift.core.terminal_text import one_line
from handshift.page.archive.origin import known_as, origin_of
from handshift.page.hand_labels import MAIN_HAND, NO_HAND
from handshift.page.word import Page
from handshift.page.word_kind import WordKind
from handshift.report.notices import notice
from handshift.report.page_report import scope_lines, texts
from handshift.report.problems import problem

MOST_ROWS = 30
PIPED_WIDTH = 110  # columns where the output is not a terminal


def console(error: bool = False) -> Console:
    """Write to standard output or error; wide enough for the table when piped into a file."""
    stream = sys.stderr if error else sys.stdout
    width = None if stream.isatty() else PIPED_WIDTH
    return Console(stderr=error, highlight=False, width=width)


def show_verdict(screen: Console, verdict: Verdict, options: ExamineOptions) -> None:
    """Print one line for the page, and a table of the words that are set apart."""
    page, t = verdict.page, texts(options.language)
    line = Text(f"{one_line(known_as(page.source))} p.{page.number + 1}: ")
    if not verdict.scope.inside:
        line.append(f"{t['scope_withheld' if verdict.scope.withheld else 'scope_outside']}; ", "bold red")
    writing = sum(word.kind is WordKind.WRITING for word in page.words)
    line.append(f"{_words(writing, t)}{_others(page, t)}")
    if not verdict.scope.withheld:
        line.append(", ")
        line.append(f"log10 LR {verdict.log10_lr:+.2f}", "bold")
        low, high = (f"{end:+.2f}" for end in verdict.interval)
        line.append(f" ({t['term_to'].format(low=low, high=high)})")
        line.append(f", {options.scale.support(verdict.log10_lr, options.language)}, {_hands(verdict, t)}")
    screen.print(line, soft_wrap=True)
    for sentence in scope_lines(verdict, options.language):
        screen.print(Text(f"  {sentence}", "dim" if verdict.scope.inside else "red"), soft_wrap=True)
    for warning in verdict.warnings:
        screen.print(
            Text(f"  {t['term_warning']}: {notice(warning, options.language)}", "yellow"), soft_wrap=True
        )
    if any(finding.suspect for finding in verdict.words) and not verdict.scope.withheld:
        screen.print(_table(verdict, t))


def show_propositions(screen: Console, propositions: Propositions, language: Language) -> None:
    """Print what the likelihood ratios above compare, without which they mean nothing."""
    t, shown = texts(language), propositions.in_language(language)
    screen.print(Text(t["term_compares"], "bold"))
    screen.print(Text(f"  {t['term_several']}: {shown.several_hands}"), soft_wrap=True)
    screen.print(Text(f"  {t['term_one']}: {shown.one_hand}"), soft_wrap=True)
    screen.print(Text(f"  {t['term_among']}: {shown.population}"), soft_wrap=True)
    screen.print(Text(f"  {t['term_casework']}", "dim"))


def show_failures(screen: Console, failures: list[PageError], language: Language = Language.en) -> None:
    """List what could not be examined."""
    not_examined = texts(language)["term_not_examined"]
    for failure in failures:
        name = origin_of(failure.path) or failure.named
        said = f"{one_line(name)}: {one_line(problem(failure.problem, language))}"
        screen.print(Text(f"{not_examined}: {said}", "red"), soft_wrap=True)


def _words(count: int, t: dict[str, str]) -> str:
    return t["term_words_one"] if count == 1 else t["term_words"].format(count=f"{count:,}")


def _others(page: Page, t: dict[str, str]) -> str:
    """Marks that are not compared, as in " (+ 12 print, 1 stamp)"."""
    counts = Counter(word.kind for word in page.words if word.kind is not WordKind.WRITING)
    named = ", ".join(f"{count} {t[f'kind_{kind.value}']}" for kind, count in counts.most_common())
    return f" (+ {named})" if named else ""


def _hands(verdict: Verdict, t: dict[str, str]) -> str:
    others = sum(finding.hand not in (MAIN_HAND, NO_HAND) for finding in verdict.words)
    if verdict.hands == 1:
        return t["term_one_hand"]
    words = _words(others, t) if others else t["term_no_word"]
    return t["term_hands"].format(hands=verdict.hands, words=words)


def _table(verdict: Verdict, t: dict[str, str]) -> Table:
    """Build the table of words in reading order; a page half in another hand is cut short."""
    with_text = any(word.text for word in verdict.page.words)
    table = Table(box=None, padding=(0, 2), title_justify="left")
    for name in (t["term_word"], t["line"]):
        table.add_column(name, justify="right")
    table.add_column(t["term_box"])
    table.add_column(t["hand"])
    table.add_column(t["posterior"], justify="right")
    if with_text:
        table.add_column(t["text"])
    pairs = enumerate(zip(verdict.page.words, verdict.words, strict=True), 1)
    apart = [(number, word, finding) for number, (word, finding) in pairs if finding.suspect]
    for number, word, finding in apart[:MOST_ROWS]:
        cells = [str(number), str(word.line + 1), ", ".join(map(str, word.box)), finding.hand]
        cells += [f"{finding.posterior:.2f}", *[one_line(word.text or "")] * with_text]
        table.add_row(*map(Text, cells))
    if len(apart) > MOST_ROWS:
        table.caption = t["term_more"].format(count=len(apart) - MOST_ROWS)
        table.caption_justify = "left"
    return table


def show_kept(what: str, language: Language = Language.en) -> None:
    """Say on standard error how much of an earlier attempt was kept."""
    print(f"handshift: {texts(language)['term_kept'].format(what=what)}", file=sys.stderr)


def pages_kept(count: int, language: Language) -> None:
    """Say on standard error how many pages of an earlier attempt were kept."""
    korean = language is Language.ko
    show_kept(
        texts(language)["term_pages"].format(count=count) if korean else counted(count, "page"), language
    )
