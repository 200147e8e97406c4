"""Tables of docs/healthmaps-results.md, from results/maps-*/ and results/tiles.json."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from handshift.metrics import METRICS
from handshift.study.results import OVERALL, Results, load_results
from handshift.study.significance import Comparison, compare, compare_pairs
from handshift.study.tables import metric_table
from measured.markdown import row
from measured.studies import RESULTS, shown, tested

TABLES = {
    "maps-losses": ("auroc", "tpr_at_1", "tpr_at_5"),
    "maps-questions": ("auroc", "tpr_at_1"),
    "maps-dinov2": ("auroc", "tpr_at_1"),
}
QUESTIONS = {
    "Top-2 % or the baseline, rate stepped each iteration": ("top-2", "baseline"),
    "the same, rate stepped each epoch as in the source": (
        "top-2, stepped by epoch",
        "baseline, stepped by epoch",
    ),
    "stepped each iteration or each epoch, baseline": ("baseline", "baseline, stepped by epoch"),
    "stepped each iteration or each epoch, Top-2 %": ("top-2", "top-2, stepped by epoch"),
    "q falling from 100 to 2 or 2 at once": ("top-2", "top-2, q at once"),
    "circular padding or the source's crop": ("baseline", "cropped"),
    "a fault run that is no louder, baseline": ("no gain shift", "baseline"),
    "Top-2 % or the baseline on that": ("top-2, no gain shift", "no gain shift"),
}
THRESHOLDS = {
    "baseline": ("baseline", "one threshold for all"),
    "Top-2 %": ("top-2", "top-2, one threshold for all"),
}


def map_tables() -> dict[str, str]:
    """All tables by their marks."""
    tables = {
        "questions": questions_text(),
        "thresholds": thresholds_text(),
        "tiles": tiles_text(),
        "cost": cost_text(),
    }
    for study, metrics in TABLES.items():
        tables[f"{study}-runs"] = progress_text(study)
        tables |= {f"{study}-{metric}": grouped_text(study, metric) for metric in metrics}
        tables[f"{study}-decisions"] = decisions_text(study)
    return tables


def questions_text() -> str:
    """What the source left open: differences between pairs of variants, Holm over all questions."""
    results = load_results(RESULTS / "maps-questions")
    pairs = list(QUESTIONS.values())
    by_metric = [compare_pairs(results, metric, OVERALL, pairs) for metric in ("auroc", "tpr_at_1")]
    head = ["first − second, mean over domains"]
    head += [
        f"{title}{part}"
        for title in ("AUROC", "TPR at FPR ≤ 1 %")
        for part in (" (95 % over seeds)", ", p, Holm")
    ]
    lines = [_line(head), "|---" * len(head) + "|"]
    for question, *entries in zip(QUESTIONS, *by_metric, strict=True):
        cells = [cell for entry in entries for cell in _difference(entry)]
        lines.append(_line([question, *cells]))
    return "\n".join(lines)


def thresholds_text() -> str:
    """One threshold for all domains beside one for each: F1, recall, false alarms, and the worst domain's."""
    results = load_results(RESULTS / "maps-questions")
    tables = [metric_table(results, metric) for metric in ("f1", "recall", "false_positive_rate")]
    head = ["", "thresholds", "F1", "recall", "false-positive rate", "highest of a domain"]
    lines = [_line(head), "|---" * len(head) + "|"]
    for name, variants in THRESHOLDS.items():
        for scope, variant in zip(("one for each domain", "one for all"), variants, strict=True):
            cells = [table.cells[variant][OVERALL].text(3) for table in tables]
            worst = max(tables[-1].cells[variant][group].mean for group in results.groups)
            lines.append(_line([name, scope, *cells, f"{worst:.3f}"]))
    return "\n".join(lines)


def grouped_text(study: str, metric: str) -> str:
    """One metric of all variants in the study's order: every domain, their mean, and its test."""
    results = load_results(RESULTS / study)
    record, columns = results.record, results.columns()
    table = metric_table(results, metric)
    tests = {entry.variant: entry for entry in compare(results, metric, OVERALL)}
    images = _over_images(study, metric)
    head = [table.title, *columns, "difference (95 % over seeds)", "p", "p, Holm", "95 % over images"]
    lines = [_line(head), "|---" * len(head) + "|"]
    for variant in record.variants:
        name = f"{variant} (baseline)" if variant == record.baseline else variant
        cells = [shown(table.cells[variant][column], 3) for column in columns]
        lines.append(_line([name, *cells, *tested(tests.get(variant)), images.get(variant, "")]))
    return "\n".join(lines)


def decisions_text(study: str) -> str:
    """What the thresholds do: mean over domains and seeds of each figure of decision."""
    results = load_results(RESULTS / study)
    named = [metric for metric in results.record.metrics if METRICS[metric].needs_threshold]
    tables = [metric_table(results, metric) for metric in named]
    lines = [
        _line(["mean over domains", *(table.title for table in tables)]),
        "|---" * (len(tables) + 1) + "|",
    ]
    lines += [
        _line([variant, *(shown(table.cells[variant][OVERALL], 3) for table in tables)])
        for variant in results.record.variants
    ]
    trivial = [f"{METRICS[metric].trivial([0, 1]):.3g}" for metric in named]
    return "\n".join([*lines, _line(["*knowing nothing*", *trivial])])


def progress_text(study: str) -> str:
    """Which runs the tables rest on."""
    results = load_results(RESULTS / study)
    record = results.record
    done = {seed: _finished(results, seed) for seed in record.seeds}
    total = len(record.variants) * len(record.seeds)
    if sum(done.values()) == total:
        seeds = ", ".join(map(str, record.seeds))
        return f"All {total} runs are in: {len(record.variants)} variants, seeds {seeds}."
    seeds = ", ".join(f"seed {seed}: {count}" for seed, count in done.items())
    return f"{sum(done.values())} of {total} runs are in ({len(record.variants)} variants; {seeds})."


def tiles_text() -> str:
    """Both detectors by picture and by pixel, on the half that was chosen by and on the other."""
    told: Mapping[str, Any] = json.loads((RESULTS / "tiles.json").read_text("utf-8"))
    kinds = list(told["report"]["patchcore"]["image_auroc_by_defect"])
    head = ["", "image AUROC (95 % over pictures)", "TPR at FPR ≤ 5 %", "pixel AUROC", "AUPRO, FPR ≤ 30 %"]
    lines = [_line([*head, *kinds]), "|---" * (len(head) + len(kinds)) + "|"]
    for half, part in (("report", "reported half"), ("choose", "half to choose by")):
        for name, title in (("patchcore", "PatchCore"), ("dinomaly", "Dinomaly")):
            found = told[half][name]
            low, high = found["image_auroc_95"]
            cells = [f"{found['image_auroc']:.3f} ({low:.3f}–{high:.3f})"]
            cells += [f"{found[key]:.3f}" for key in ("tpr_at_fpr_5", "pixel_auroc", "aupro_30")]
            cells += [f"{found['image_auroc_by_defect'][kind]:.3f}" for kind in kinds]
            lines.append(_line([f"{title}, {part}", *cells]))
    nothing = ["0.500", "0.050", "0.500", "0.150", *(["0.500"] * len(kinds))]
    return "\n".join([*lines, _line(["*knowing nothing*", *nothing])])


def cost_text() -> str:
    """By the clock and by the processor."""
    told: Mapping[str, Any] = json.loads((RESULTS / "maps-cost.json").read_text("utf-8"))
    wanted = {
        "seconds_of_1000_steps": "seconds for 1,000 steps at study size, features kept",
        "seconds_a_step": "seconds a step, features kept",
        "seconds_a_step_encoding_again": "seconds a step, encoding again",
        "times_faster": "times faster from kept features",
        "maps_scored_a_second": "maps scored a second",
    }
    encoders = [name for name, found in told.items() if isinstance(found, dict)]
    head = ["", *(f"{name}, by the {clock}" for name in encoders for clock in ("clock", "processor"))]
    lines = [_line(head), "|---" * len(head) + "|"]
    for key, title in wanted.items():
        cells = [f"{told[name][key][clock]:.4g}" for name in encoders for clock in ("clock", "processor")]
        lines.append(_line([title, *cells]))
    machine = f"{told['threads']} threads, load of other work {told['other_load']:.1f} when it began."
    return "\n".join([*lines, "", machine])


def _difference(entry: Comparison) -> list[str]:
    if math.isnan(entry.t_p):
        return [f"{entry.delta:+.3f}", ""]
    return [f"{entry.delta:+.3f} ({entry.low:+.3f} … {entry.high:+.3f})", f"{entry.t_p_holm:.2g}"]


def _over_images(study: str, metric: str) -> dict[str, str]:
    """The overall figure's interval over drawn images, where `study report` found the scored items."""
    path = RESULTS / study / "report" / "intervals.csv"
    if not path.is_file():
        return {}
    rows: Sequence[Mapping[str, str]] = list(csv.DictReader(path.read_text("utf-8").splitlines()))
    return {
        one["variant"]: f"{float(one['low']):.3f}–{float(one['high']):.3f}"
        for one in rows
        if (one["metric"], one["group"]) == (metric, OVERALL)
    }


def _finished(results: Results, seed: int) -> int:
    return sum(seed in results.run_folders(variant) for variant in results.record.variants)


def _line(cells: Sequence[str]) -> str:
    return row(cells[0], cells[1:])
