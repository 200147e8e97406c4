"""What the studies of detectors found, as the document on detectors tells it."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from statistics import fmean, stdev

from handshift.study.results import Results, load_results
from measured.markdown import row
from measured.studies import RESULTS

AGAINST = ("single", "spliced")
WORDS = ("1", "2", "3", "4", "7")
SHARES = ("5%", "10%", "20%", "30%", "50%")
CONTROLS = {
    ("two days", "auroc"): "two days of one writer against one: AUC (0.5 wanted)",
    ("two days", "tpr_at_5"): "two days that pass the score which at most 5 % of one day pass (0.05 wanted)",
    ("two hands, one day", "auroc"): "20 % foreign against one day: AUC",
    ("two hands, two days", "auroc"): "20 % foreign against two days: AUC",
    ("two hands, one day", "tpr_at_5"): "20 % foreign against one day: TPR at FPR ≤ 5 %",
}
NAMES = {"auroc": "AUC", "tpr_at_5": "TPR at FPR ≤ 5 %", "tpr_at_1": "TPR at FPR ≤ 1 %"}


def detector_tables() -> dict[str, str]:
    """Mark → content."""
    return {
        "source": _source(),
        "words": _both("detect-words", WORDS, ("auroc", "tpr_at_5")),
        "pages": _both("detect-pages", SHARES, ("auroc", "tpr_at_5", "tpr_at_1")),
        "where": _where(),
        "controls": "\n\n".join(
            f"{told}:\n\n{table_text('detect-controls', metric, ('14 words', 'whole page'), (compared,))}"
            for (compared, metric), told in CONTROLS.items()
        ),
        "elsewhere": _elsewhere(),
        "cost": _cost(),
    }


def _both(study: str, groups: tuple[str, ...], metrics: tuple[str, ...]) -> str:
    return "\n\n".join(
        f"{NAMES[metric]}, against one session / against two sessions of one writer:\n\n"
        f"{table_text(study, metric, groups, AGAINST)}"
        for metric in metrics
    )


def _source() -> str:
    told = {
        "auroc": "AUC",
        "f1": "F1",
        "f1_always_mixed": "F1 of always saying mixed",
        "recall": "recall",
        "false_positive_rate": "one-hand bags flagged",
    }
    groups = ("all", "5%", "10%", "20%", "30%")
    return "\n\n".join(
        f"{name}:\n\n{table_text('detect-source', metric, groups)}" for metric, name in told.items()
    )


def _where() -> str:
    told = {
        "word_auc": "AUC within a page, mean over pages",
        "auroc": "AUC, words of all pages together",
        "word_f1": "F1 of the words that contribute twice the average or more",
        "word_f1_all_marked": "F1 of marking every word",
    }
    return "\n\n".join(
        f"{name}; {pattern}:\n\n"
        + table_text("detect-where", metric, tuple(f"{pattern}, {share}" for share in SHARES))
        for metric, name in told.items()
        for pattern in ("block", "scattered")
    )


def _elsewhere() -> str:
    german = table_text("detect-dhsd", "auroc", WORDS, ("single",))
    hangul = table_text("detect-hangul", "auroc", WORDS, AGAINST)
    return (
        f"German street names, 37 writers, AUC against one writer:\n\n{german}\n\n"
        f"Hangul by 24 synthetic scribes, AUC against one day / against two days of one scribe:\n\n{hangul}"
    )


def _cost() -> str:
    if not (RESULTS / "detect.json").is_file():
        return "Not measured yet; `python benchmarks/detect.py` does."
    cost = json.loads((RESULTS / "detect.json").read_text(encoding="utf-8"))
    pages = ", ".join(f"{took} ms for {words} words" for words, took in cost["page_ms"].items())
    return (
        f"{cost['bags']:,} bags of {cost['words']} words are built and scored in {cost['seconds']:.0f} s by "
        f"{cost['jobs']} processes ({cost['processor_seconds']:.0f} processor seconds). One page: {pages}."
    )


def table_text(study: str, metric: str, groups: Sequence[str], kinds: Sequence[str] = ("",)) -> str:
    """Variants by groups, means ± standard deviations over seeds; figures of several kinds share a cell.

    A group is called "group / kind", as studies of documents name what mixed ones are told from. Where the
    report kept intervals over writers, the first variant has a row of them.
    """
    if not (RESULTS / study).is_dir():
        return f"Not measured yet; `handshift study run studies/{study}.yaml` does."
    results = load_results(RESULTS / study)
    names = [[" / ".join(filter(None, (group, kind))) for kind in kinds] for group in groups]
    lines = [row("", groups), "|---" * (len(groups) + 1) + "|"]
    for number, variant in enumerate(results.record.variants):
        cells = [" / ".join(_mean(results, metric, name, variant) for name in own) for own in names]
        lines.append(row(variant, cells))
        intervals = _intervals(study, metric, variant) if number == 0 else {}
        if intervals:
            told = [" / ".join(intervals.get(name, "–") for name in own) for own in names]
            lines.append(row("*95 % over writers*", told))
    return "\n".join(lines)


def _mean(results: Results, metric: str, group: str, variant: str) -> str:
    values = list(results.values(metric, group, variant).values())
    if not values:
        return "–"
    spread = f" ± {stdev(values):.3f}" if len(values) > 1 else ""
    return f"{fmean(values):.3f}{spread}"


def _intervals(study: str, metric: str, variant: str) -> dict[str, str]:
    path = RESULTS / study / "report" / "intervals.csv"
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if (row["metric"], row["variant"]) == (metric, variant)]
    return {row["group"]: f"{float(row['low']):.3f}–{float(row['high']):.3f}" for row in rows}
