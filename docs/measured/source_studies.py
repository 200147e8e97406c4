"""Published figures of sub-center cleaning and of health maps beside ours, for the pages on the sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, stdev

from handshift.study.results import Results
from measured.markdown import row
from measured.sources import load_study, study_text

DOMAINS = ("A", "B", "C", "D")
MAPS = {
    "baseline": ("98.74/99.07/96.95/98.04", "94.12/94.62/76.38/93.36"),
    "gem": ("98.77/99.05/96.89/98.06", "94.00/94.54/74.80/93.32"),
    "top-5": ("99.10/99.37/97.63/98.32", "94.62/94.90/79.14/93.48"),
    "top-2": ("99.18/99.39/97.71/98.44 *", "94.70/95.00/80.00/93.60 *"),
    "focal": ("–", "–"),
    "auxiliary": ("–", "–"),
    "scale-fixed": ("–", "–"),
    "scale-learned": ("–", "–"),
    "top-100": ("–", "–"),
    "patchcore": ("99.85/99.82/98.21/99.77", "–"),
    "padim": ("–", "–"),
    "pca": ("–", "–"),
    "row-column": ("–", "–"),
    "mean-level": ("–", "–"),
}
"""Variant of the studies → published AUROC and TPR at 1 % of the domains A to D, in percent."""
STUDIES = ("maps-losses", "maps-standard", "maps-dinov2")
"""Columns of ours: units of the domain as in the source, standardised, and that through a larger encoder."""
LABELS = {"noisy": "90.27", "sub-center": "93.72", "cleaned": "95.92", "clean": "96.50"}
"""Training of studies/embed-cleaning.yaml → published accuracy, in percent."""
WORDING = {
    "en": {
        "head": "published|ours",
        "noise": "wrong labels before the drop; after it",
        "noisy": "trained with the wrong labels",
        "sub-center": "the same with three centres",
        "cleaned": "one centre, after the drop",
        "clean": "trained with the right labels",
        "accuracy": "accuracy {} %",
        "auc": "AUC {}",
        "auroc": "AUROC in %, domains A/B/C/D",
        "tpr_at_1": "TPR at FPR ≤ 1 % in %, domains A/B/C/D",
        "maps": "published|ours, unit domain|ours, standardised|standardised, DINOv2-derived encoder",
        "note": "\\* one seed. Ours: in brackets the number of seeds; nothing is tested where it is 1.",
    },
    "ko": {
        "head": "발표|여기",
        "noise": "제거 전과 후의 틀린 라벨",
        "noisy": "틀린 라벨로 학습",
        "sub-center": "같은 라벨, 중심 셋",
        "cleaned": "제거 뒤, 중심 하나",
        "clean": "옳은 라벨로 학습",
        "accuracy": "정확도 {} %",
        "auc": "AUC {}",
        "auroc": "AUROC, %, 도메인 A/B/C/D",
        "tpr_at_1": "FPR ≤ 1 %에서 TPR, %, 도메인 A/B/C/D",
        "maps": "발표|여기, 도메인 단위|여기, 표준화|표준화, DINOv2에서 얻은 인코더",
        "note": "\\* 시드 하나. 여기: 괄호 안은 시드의 수이며, 1이면 검정하지 않는다.",
    },
}


def study_tables(language: str) -> dict[str, str]:
    """Mark → content of the two tables."""
    text = WORDING[language]
    return {
        "cleaning": study_text("embed-cleaning", lambda found: _cleaning(found, text)),
        "maps": _maps(text),
    }


def _cleaning(results: Results, text: Mapping[str, str]) -> str:
    (group,) = results.columns()

    def found(metric: str, variant: str) -> str:
        return _spread(list(results.values(metric, group, variant).values()))

    noise = f"{found('random_precision', 'sub-center')}; {found('noise_left', 'sub-center')}"
    lines = [row("", text["head"].split("|")), "|---|---|---|", row(text["noise"], ["0.385; 0.124", noise])]
    for variant, published in LABELS.items():
        cells = [text["accuracy"].format(published), text["auc"].format(found("auroc", variant))]
        lines.append(row(text[variant], cells))
    return "\n".join(lines)


def _maps(text: Mapping[str, str]) -> str:
    """The source's table in its own form: one for AUROC, one for TPR at 1 %, published beside ours."""
    studies = [load_study(name) for name in STUDIES]
    parts = []
    for at, metric in enumerate(("auroc", "tpr_at_1")):
        head = text["maps"].split("|")
        lines = [row(text[metric], head), "|---" * (len(head) + 1) + "|"]
        for variant, published in MAPS.items():
            ours = [_by_domain(results, metric, variant) for results in studies]
            lines.append(row(variant, [published[at], *ours]))
        parts.append("\n".join(lines))
    return "\n\n".join([*parts, text["note"]])


def _by_domain(results: Results | None, metric: str, variant: str) -> str:
    """Means over the variant's seeds of the four domains, and how many seeds these are."""
    if results is None or variant not in results.record.variants:
        return "–"
    found = [results.values(metric, domain, variant) for domain in DOMAINS]
    if not all(found):
        return "–"
    return f"{'/'.join(f'{100 * fmean(values.values()):.2f}' for values in found)} ({len(found[0])})"


def _spread(values: Sequence[float]) -> str:
    return f"{fmean(values):.3f} ± {stdev(values):.3f}" if len(values) > 1 else "–"
