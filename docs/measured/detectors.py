"""Tables of the studies of detectors: means in the document, everything on the page behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from statistics import fmean, stdev
from typing import Any

from handshift.study.intervals import load_intervals
from handshift.study.results import Results
from measured.markdown import Tree, row
from measured.sources import benchmark_text, command_of, is_quiet, pending, study_text

AGAINST = ("single", "spliced")
WORDS = ("1", "2", "3", "4", "7")
SHARES = ("5%", "10%", "20%", "30%", "50%")
SOURCE_GROUPS = ("all", "5%", "10%", "20%", "30%")
CONTROLS = {
    ("two days", "auroc"): "two days of one writer against one: AUC (0.5 wanted)",
    ("two days", "tpr_at_5"): "two days that pass the score which at most 5 % of one day pass (0.05 wanted)",
    ("two hands, one day", "auroc"): "20 % foreign against one day: AUC",
    ("two hands, two days", "auroc"): "20 % foreign against two days: AUC",
    ("two hands, one day", "tpr_at_5"): "20 % foreign against one day: TPR at FPR ≤ 5 %",
}
NAMES = {"auroc": "AUC", "tpr_at_5": "TPR at FPR ≤ 5 %", "tpr_at_1": "TPR at FPR ≤ 1 %"}
SOURCE = {
    "auroc": "AUC",
    "f1": "F1",
    "f1_always_mixed": "F1 of always saying mixed",
    "recall": "recall",
    "false_positive_rate": "one-hand bags flagged",
}
WHERE = {
    "word_auc": "AUC within a page, mean over pages",
    "auroc": "AUC, words of all pages together",
    "word_f1": "F1 of the words that contribute twice the average or more",
    "word_f1_all_marked": "F1 of marking every word",
}


def detector_summaries() -> dict[str, str]:
    """Mark → table of means for docs/detectors.md."""
    means = partial(table_text, full=False)
    return {
        "source": study_text("detect-source", _source_summary),
        "words": study_text("detect-words", lambda found: means(found, "auroc", WORDS, AGAINST)),
        "pages": study_text("detect-pages", lambda found: means(found, "auroc", SHARES, AGAINST)),
        "where": study_text("detect-where", lambda found: means(found, "word_auc", _places("block"))),
        "controls": study_text(
            "detect-controls",
            lambda found: means(found, "auroc", ("14 words", "whole page"), ("two days",)),
        ),
        "elsewhere": _elsewhere(means),
        "cost": benchmark_text("detect", _cost),
    }


def detector_tables() -> dict[str, str]:
    """Mark → all tables of a study, with deviations and intervals."""
    return {
        "source": study_text(
            "detect-source",
            lambda found: _titled((title, found, metric, SOURCE_GROUPS) for metric, title in SOURCE.items()),
        ),
        "words": _both("detect-words", WORDS, ("auroc", "tpr_at_5")),
        "pages": _both("detect-pages", SHARES, ("auroc", "tpr_at_5", "tpr_at_1")),
        "where": study_text(
            "detect-where",
            lambda found: _titled(
                (f"{title}; {pattern}", found, metric, _places(pattern))
                for metric, title in WHERE.items()
                for pattern in ("block", "scattered")
            ),
        ),
        "controls": study_text(
            "detect-controls",
            lambda found: _titled(
                (title, found, metric, ("14 words", "whole page"), (compared,))
                for (compared, metric), title in CONTROLS.items()
            ),
        ),
        "elsewhere": _elsewhere(table_text),
    }


def _titled(tables: Iterable[tuple[Any, ...]]) -> str:
    """Tables one below the other: a title, then the arguments of ``table_text``."""
    return "\n\n".join(f"{title}:\n\n{table_text(*of)}" for title, *of in tables)


def _both(study: str, groups: Sequence[str], metrics: Sequence[str]) -> str:
    against = "against one session / against two sessions of one writer"
    return study_text(
        study,
        lambda found: _titled((f"{NAMES[m]}, {against}", found, m, groups, AGAINST) for m in metrics),
    )


def _places(pattern: str) -> list[str]:
    return [f"{pattern}, {share}" for share in SHARES]


def _source_summary(results: Results) -> str:
    """Every metric of all bags together, one line for each network."""
    lines = [row("all shares together", SOURCE.values()), "|---" * (len(SOURCE) + 1) + "|"]
    for variant in results.record.variants:
        cells = [_mean(results, metric, "all", variant) for metric in SOURCE]
        lines.append(row(variant, cells))
    return "\n".join(lines)


def _elsewhere(table: Callable[..., str]) -> str:
    german = study_text("detect-dhsd", lambda found: table(found, "auroc", WORDS, ("single",)))
    hangul = study_text("detect-hangul", lambda found: table(found, "auroc", WORDS, AGAINST))
    return (
        f"German street names, 37 writers, AUC against one writer:\n\n{german}\n\n"
        f"Hangul by 24 synthetic scribes, AUC against one day / against two days of one scribe:\n\n{hangul}"
    )


def _cost(cost: Tree) -> str:
    if not is_quiet(cost):
        return pending(command_of("detect"))
    pages = ", ".join(f"{took} ms for {words} words" for words, took in cost["page_ms"].items())
    return (
        f"{cost['bags']:,} bags of {cost['words']} words are drawn and scored in "
        f"{cost['processor_seconds']:.0f} processor seconds by {cost['jobs']} processes. One page: {pages}."
    )


def table_text(
    results: Results, metric: str, groups: Sequence[str], kinds: Sequence[str] = ("",), full: bool = True
) -> str:
    """Lay out variants by groups; figures of several kinds share a cell.

    Args:
        results: The study.
        metric: The figure.
        groups: Columns.
        kinds: What each group is compared with; a group's name in the study is "group / kind".
        full: With standard deviations over seeds and, where kept, the first variant's intervals over writers.
    """
    names = [[" / ".join(filter(None, (group, kind))) for kind in kinds] for group in groups]
    lines = [row("", groups), "|---" * (len(groups) + 1) + "|"]
    for number, variant in enumerate(results.record.variants):
        cells = [" / ".join(_mean(results, metric, name, variant, full) for name in own) for own in names]
        lines.append(row(variant, cells))
        intervals = _intervals(results, metric, variant) if full and number == 0 else {}
        if intervals:
            bounds = [" / ".join(intervals.get(name, "–") for name in own) for own in names]
            lines.append(row("*95 % over writers*", bounds))
    return "\n".join(lines)


def _mean(results: Results, metric: str, group: str, variant: str, full: bool = True) -> str:
    values = list(results.values(metric, group, variant).values())
    if not values:
        return "–"
    spread = f" ± {stdev(values):.3f}" if full and len(values) > 1 else ""
    return f"{fmean(values):.3f}{spread}"


def _intervals(results: Results, metric: str, variant: str) -> dict[str, str]:
    return {
        one.group: f"{one.low:.3f}–{one.high:.3f}"
        for one in load_intervals(results.folder)
        if (one.metric, one.variant) == (metric, variant)
    }
