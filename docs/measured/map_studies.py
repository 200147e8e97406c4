"""Tables of docs/healthmaps-results.md, from results/maps-*/; those of benchmarks are in map_benchmarks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from handshift.metrics import auroc, tpr_at_fpr
from handshift.study.results import OVERALL, Results
from handshift.study.significance import Comparison, compare_pairs
from handshift.study.tables import metric_table
from handshift.study.task import ScoredItems
from measured.map_benchmarks import cost_text, features_text, peer_text, tiles_text
from measured.map_gearboxes import gearbox_tables
from measured.map_tables import decisions_text, grouped_text, line, over_images, progress_text
from measured.sources import benchmark_text, load_study, study_text
from measured.studies import shown

TABLES = {
    "maps-losses": ("auroc", "tpr_at_1", "tpr_at_5"),
    "maps-questions": ("auroc", "tpr_at_1"),
    "maps-dinov2": ("auroc", "tpr_at_1", "tpr_at_5"),
    "maps-standard": ("auroc", "tpr_at_1", "tpr_at_5"),
    "maps-unit": ("auroc", "tpr_at_1"),
    "maps-options": ("auroc", "tpr_at_1"),
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
}
THRESHOLDS = {
    "baseline": ("baseline", "one threshold for all"),
    "Top-2 %": ("top-2", "top-2, one threshold for all"),
}


COLD = ("maps-standard", "maps-dinov2")
ENCODERS = ("maps-1", "DINOv2-derived")
LEFT_OUT = {"top-1", "top-3", "top-5", "top-10", "top-20", "top-50", "focal", "auxiliary", "scale-learned"}
"""Variants between or beside those that the table of cold faults shows."""
CONDITIONS = ("cold", "warm")


def map_tables() -> dict[str, str]:
    """All tables by their marks."""
    tables = {
        "questions": study_text("maps-questions", questions_text),
        "thresholds": study_text("maps-questions", thresholds_text),
        "maps-cold": study_text(COLD[0], lambda first: cold_text(first, load_study(COLD[1]))),
        "maps-faults-runs": study_text("maps-faults", progress_text),
        "maps-faults-auroc": study_text("maps-faults", partial(faults_text, metric="auroc")),
        "maps-faults-tpr_at_1": study_text("maps-faults", partial(faults_text, metric="tpr_at_1")),
        "maps-gearboxes-runs": study_text("maps-gearboxes", progress_text),
        **gearbox_tables(),
        "tiles": benchmark_text("tiles tiles-random", tiles_text),
        "features": benchmark_text("map-features", features_text),
        "peer": benchmark_text("maps-peer", peer_text),
        "peer-tiles": benchmark_text("maps-peer-tiles", peer_text),
        "cost": benchmark_text("maps-cost", cost_text),
    }
    for study, metrics in TABLES.items():
        tables[f"{study}-runs"] = study_text(study, progress_text)
        for metric in metrics:
            tables[f"{study}-{metric}"] = study_text(study, partial(grouped_text, metric=metric))
        tables[f"{study}-decisions"] = study_text(study, decisions_text)
    return tables


def questions_text(results: Results) -> str:
    """Questions the source left open: differences between pairs of variants, Holm over all questions."""
    pairs = list(QUESTIONS.values())
    by_metric = [compare_pairs(results, metric, OVERALL, pairs) for metric in ("auroc", "tpr_at_1")]
    head = ["first − second, mean over domains"]
    head += [
        f"{title}{part}"
        for title in ("AUROC", "TPR at FPR ≤ 1 %")
        for part in (" (95 % over seeds)", ", p, Holm")
    ]
    lines = [line(head), "|---" * len(head) + "|"]
    for question, *entries in zip(QUESTIONS, *by_metric, strict=True):
        cells = [cell for entry in entries for cell in _difference(entry)]
        lines.append(line([question, *cells]))
    return "\n".join(lines)


def thresholds_text(results: Results) -> str:
    """One threshold for all domains beside one for each: F1, recall, false alarms, and the worst domain's."""
    tables = [metric_table(results, metric) for metric in ("f1", "recall", "false_positive_rate")]
    head = ["", "thresholds", "F1", "recall", "false-positive rate", "highest of a domain"]
    lines = [line(head), "|---" * len(head) + "|"]
    for name, variants in THRESHOLDS.items():
        for scope, variant in zip(("one for each domain", "one for all"), variants, strict=True):
            cells = [table.cells[variant][OVERALL].text(3) for table in tables]
            worst = max(tables[-1].cells[variant][group].mean for group in results.groups)
            lines.append(line([name, scope, *cells, f"{worst:.3f}"]))
    return "\n".join(lines)


def faults_text(results: Results, metric: str) -> str:
    """Mean over domains by kind and size, in brackets 95 % over images where `study report` has drawn them.

    Variants are named detector, kind, size and, if any, condition.
    """
    table, images = metric_table(results, metric), over_images(results, metric)
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for variant in results.record.variants:
        detector, kind, size, *condition = variant.split(", ")
        cells = rows.setdefault((detector, *(condition or ("no gain shift",))), {})
        interval = f" [{images[variant]}]" if variant in images else ""
        cells[f"{kind}, {size}"] = shown(table.cells[variant][OVERALL], 3) + interval
    columns = list(dict.fromkeys(name for cells in rows.values() for name in cells))
    lines = [line([table.title, *columns]), "|---" * (len(columns) + 1) + "|"]
    lines += [
        line([", ".join(name), *(cells.get(one, "") for one in columns)]) for name, cells in rows.items()
    ]
    return "\n".join(lines)


def cold_text(*studies: Results | None) -> str:
    """Domain C, cold and warm maps apart: the cold faults are the weak ones, and the runs differ in level."""
    head = ["domain C", "seeds", "cold: AUROC", "TPR at FPR ≤ 5 %", "warm: AUROC", "TPR at FPR ≤ 5 %"]
    lines = [line(head), "|---" * len(head) + "|"]
    for encoder, results in zip(ENCODERS, studies, strict=True):
        if results is None:
            continue
        for variant in results.record.variants:
            runs = results.items(variant)
            if runs and variant not in LEFT_OUT:
                cells = [
                    f"{value:.3f}" for condition in CONDITIONS for value in _of_condition(runs, condition)
                ]
                lines.append(line([f"{encoder}, {variant}", str(len(runs)), *cells]))
    return "\n".join(lines)


def _of_condition(runs: Sequence[ScoredItems], condition: str) -> tuple[float, float]:
    """AUROC and TPR at 5 % among the maps of domain C in one condition, means over runs."""
    found = []
    for run in runs:
        own = (run.groups == "C") & np.char.endswith(run.units.astype(str), f"{condition}.tif")
        labels, scores = run.labels[own], run.scores[own]
        found.append((auroc(labels, scores), tpr_at_fpr(labels, scores, 0.05)))
    first, second = np.mean(found, axis=0)
    return float(first), float(second)


def _difference(entry: Comparison) -> list[str]:
    if math.isnan(entry.t_p):
        return [f"{entry.delta:+.3f}", ""]
    return [f"{entry.delta:+.3f} ({entry.low:+.3f} … {entry.high:+.3f})", f"{entry.t_p_holm:.2g}"]
