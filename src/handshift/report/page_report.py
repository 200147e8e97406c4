"""One HTML file for each page examined, and an index of the run."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import jinja2

from handshift.attribution.comparison import Comparison
from handshift.attribution.verdict import Verdict
from handshift.calibration.propositions import Propositions
from handshift.calibration.verbal_scale import WRITERS, Language, times
from handshift.page.view import View
from handshift.report.about_run import AboutRun
from handshift.report.data_uri import data_uri
from handshift.report.findings_schema import PageRecord
from handshift.report.notices import notice
from handshift.report.page_view import PageView, page_view
from handshift.report.run_header import Run

PRINTED = (
    "text{font-family:'NanumGothic','Libertinus Serif';font-size:14px;fill:#444}.one{fill:#6f7780}"
    ".several{fill:#d55e00}.tick{text-anchor:middle}.here{stroke:#000;stroke-width:2}.here-label{font-weight:bold}"
)
"""Styles of the figure in a file without the report's style sheet."""


@dataclass(frozen=True, slots=True)
class IndexRow:
    """One line of the index: what it shows of a page's record, and the file of its report."""

    record: PageRecord
    href: str | None
    words: int

    @classmethod
    def of(cls, record: PageRecord, href: str | None) -> Self:
        """Without the words and their comparison, of which thousands of pages have too many for memory."""
        brief: PageRecord = {
            **record,
            "words": [],
            "compared": [],
            "similarity_percent": "",
            "alike": [],
            "reference": None,
        }
        return cls(brief, href, len(record["words"]))


def page_html(verdict: Verdict, run: Run) -> str:
    """Render one verdict as a self-contained file."""
    return render(
        "page.html",
        run,
        verdict=verdict,
        view=page_view(verdict, texts(run.language)["hand"]),
        statement=statement(verdict.log10_lr, verdict.bounds, run),
        reach=reach(verdict, run),
        headline=headline(verdict, run),
        scope=scope_lines(verdict, run.language),
        notes=view_notes(verdict.page.view, run.language),
    )


def headline(verdict: Verdict, run: Run) -> str:
    """What the report says first: the support in words, or that nothing can be said."""
    if verdict.scope.withheld:
        return texts(run.language)["scope_withheld"]
    return run.scale.support(verdict.log10_lr, run.language).capitalize()


def scope_lines(found: Verdict | Comparison, language: Language) -> list[str]:
    """What a reader must know of the scope before any figure; empty where there is nothing to say."""
    said = found.scope.headline(language)
    if said is None:
        return []
    shown = found.scope.inside or found.scope.forced or found.raw_log10_lr is None
    raw = [] if shown else [texts(language)["scope_raw"].format(raw=signed(found.raw_log10_lr or 0.0))]
    return [said, *raw]


def view_notes(view: View, language: Language) -> list[str]:
    """How the scan was turned and straightened, in words."""
    t = texts(language)
    turned = [t["turned_note"].format(degrees=view.turned)] if view.turned else []
    return [*turned, *[t["sheet_note"]] * (view.sheet is not None)]


def statement(log10_lr: float, bounds: tuple[float, float], run: Run) -> str:
    """Explain a likelihood ratio in one sentence, or two where it is at its bound.

    Args:
        log10_lr: The calibrated ratio.
        bounds: The smallest and the largest that the calibration supports.
        run: Its language and verbal scale are used.
    """
    text = texts(run.language)
    towards = "statement_several" if log10_lr > 0 else "statement_one"
    sentence = text["statement_neither" if run.scale.is_neutral(log10_lr) else towards]
    at_bound = not bounds[0] < log10_lr < bounds[1]
    return sentence.format(times=times(log10_lr)) + (f" {text['at_bound']}" if at_bound else "")


def reach(verdict: Verdict, run: Run) -> str:
    """The interval of a ratio over calibration writers, and its bounds, in words."""
    sentences = texts(run.language)
    (low, high), bounds = (list(map(signed, ends)) for ends in (verdict.interval, verdict.bounds))
    interval = sentences["interval_same"] if low == high else sentences["interval"].format(low=low, high=high)
    return f"{interval}; {sentences['bounds'].format(low=bounds[0], high=bounds[1])}"


def signed(log10_lr: float) -> str:
    """Write a log10 LR with its sign and two digits."""
    return f"{log10_lr:+.2f}".replace("-", "−")


def index_html(rows: Sequence[IndexRow], run: Run) -> str:
    """Render the list of all pages: those examined by falling weight, then those that failed."""
    examined = [row for row in rows if row.record["error"] is None]
    failed = [row for row in rows if row.record["error"] is not None]
    examined.sort(key=lambda row: -(row.record["log10_lr"] or 0.0))
    record: Any = next((row.record["propositions"] for row in examined), None)
    propositions = Propositions.from_record(record).in_language(run.language) if record else None
    return render("index.html", run, examined=examined, failed=failed, propositions=propositions)


def texts(language: Language) -> dict[str, str]:
    """Load the fixed texts of a report in one language."""
    path = Path(__file__).with_name("texts") / f"{language}.json"
    content: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return content


def reference_svg(verdict: Verdict, view: PageView, run: Run) -> str:
    """Draw the reference plot as a file of its own, in the colours of print."""
    drawn = render("reference.svg", run, verdict=verdict, reference_plot=view.reference_plot)
    return drawn.replace(">", f"><style>{PRINTED}</style>", 1)


def render(template: str, run: Run, **values: Any) -> str:
    """Fill a template with what every report has: texts, the run, the model's card."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    language = run.language
    return environment.get_template(template).render(
        t=texts(language),
        language=language.value,
        hangul=_hangul() if language is Language.ko else "",
        signed=signed,
        png=lambda pixels: data_uri(pixels, "png"),
        notice=lambda english: notice(english, language),
        support=lambda log10_lr: run.scale.support(log10_lr, language),
        writers=lambda log10_lr: run.scale.support(log10_lr, language, WRITERS),
        scale=run.scale,
        run=run,
        about=AboutRun.of(run),
        **values,
    )


def _hangul() -> str:
    """The syllables of KS X 1001 as a font, for readers whose system has no Korean one."""
    font = Path(__file__).with_name("fonts") / "hangul.woff2"
    return f"data:font/woff2;base64,{b64encode(font.read_bytes()).decode('ascii')}"
