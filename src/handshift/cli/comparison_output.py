"""A comparison on the terminal and as files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from handshift.attribution.comparison import Comparison
from handshift.attribution.verification import Verification
from handshift.calibration.verbal_scale import WRITERS
from handshift.cli.destination import FileNames, check_file, check_folder
from handshift.core.atomic import write_bytes, write_text
from handshift.core.terminal_text import one_line
from handshift.report.comparison_report import (
    comparison_html,
    known_samples,
    pair_propositions,
    size_of_writing,
    typicality,
)
from handshift.report.notices import notice
from handshift.report.page_report import scope_lines, texts
from handshift.report.run_header import Run


@dataclass(frozen=True, slots=True)
class ComparisonFiles:
    """Which results of a comparison to write, and where."""

    report: Path | None
    pdf: bool
    json: Path | None
    csv: Path | None

    def check(self) -> None:
        """Refuse places that cannot be written to before any page is read."""
        if self.report:
            check_folder(self.report)
        if self.pdf:
            from handshift.report.pdf import require_typst

            require_typst()
        for file in filter(None, (self.json, self.csv)):
            check_file(file)

    def write_report(self, verification: Verification, run: Run) -> Path | None:
        """Write the report, named after the first page of either side; returns the HTML file."""
        if not self.report:
            return None
        first, second = (side.pages[0].page for side in verification.sides)
        tag = f"{second.source.stem}-{first.sha256[:4]}{second.sha256[:4]}"
        path = self.report / FileNames().name(first.source, first.number, ".html", tag)
        check_file(path)
        write_text(path, comparison_html(verification, run), private=True)
        if self.pdf:
            from handshift.report.comparison_pdf import comparison_pdf

            write_bytes(path.with_suffix(".pdf"), comparison_pdf(verification, run), private=True)
        return path


def show_comparison(
    screen: Console, paths: tuple[Path, Path], found: Comparison, run: Run, report: Path | None
) -> None:
    """Print the ratio with its verbal equivalent, interval, bounds, propositions and warnings."""
    t = texts(run.language)
    drawn = ""
    if found.interval:
        drawn = t["term_to"].format(low=f"{found.interval[0]:+.2f}", high=f"{found.interval[1]:+.2f}") + "; "
    bounds = t["term_to"].format(low=f"{found.bounds[0]:+.1f}", high=f"{found.bounds[1]:+.1f}")
    line = Text(f"{one_line(paths[0])}, {one_line(paths[1])}: ")
    if not found.scope.inside:
        line.append(f"{t['scope_withheld' if found.scope.withheld else 'scope_outside']}; ", "bold red")
    if not found.scope.withheld:
        line.append(f"log10 LR {found.log10_lr:+.2f}", "bold")
        towards = t["term_towards_one" if found.log10_lr > 0 else "term_towards_two"]
        line.append(f" ({drawn}{t['term_bounds']} {bounds}), {towards}, ")
        line.append(run.scale.support(found.log10_lr, run.language, WRITERS) + "; ")
    line.append(t["term_pair_words"].format(a=found.words[0], b=found.words[1]))
    screen.print(line, soft_wrap=True)
    for sentence in scope_lines(found, run.language):
        screen.print(Text(f"  {sentence}", "dim" if found.scope.inside else "red"), soft_wrap=True)
    for warning in found.warnings:
        screen.print(
            Text(f"  {t['term_warning']}: {one_line(notice(warning, run.language))}", "yellow"),
            soft_wrap=True,
        )
    for sentence in () if found.scope.withheld else size_of_writing(found, run):
        screen.print(Text(f"  {sentence}"), soft_wrap=True)
    for sentence in (*known_samples(found, run), *typicality(found, run)[:1]):
        screen.print(Text(f"  {one_line(sentence)}"), soft_wrap=True)
    for one in () if found.scope.withheld else found.by_hand:
        names = t["term_pair_hands"].format(a=one.hands[0], b=one.hands[1])
        words = t["term_pair_words"].format(a=one.words[0], b=one.words[1])
        support = run.scale.support(one.log10_lr, run.language, WRITERS)
        screen.print(Text(f"  {names}: log10 LR {one.log10_lr:+.2f}, {support}; {words}"), soft_wrap=True)
    propositions = pair_propositions(found.propositions, run)
    screen.print(Text(f"  {t['pair_one']}: {propositions.one_writer}"), soft_wrap=True)
    screen.print(Text(f"  {t['pair_two']}: {propositions.two_writers}"), soft_wrap=True)
    screen.print(Text(f"  {t['term_population']}: {propositions.population}"), soft_wrap=True)
    screen.print(Text(f"  {t['term_casework']}", "dim"))
    if report:
        screen.print(f"{t['term_report']}: {report}", markup=False, soft_wrap=True)
