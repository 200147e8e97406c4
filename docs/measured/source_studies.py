"""Published figures of sub-center cleaning and of health maps beside ours, for the pages on the sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, stdev

from handshift.study.results import Results
from measured.markdown import row
from measured.sources import study_text

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
    "patchcore": ("99.85/99.82/98.21/99.77", "–"),
    "row-column": ("–", "–"),
    "mean-level": ("–", "–"),
}
"""Variant of studies/maps-losses.yaml → published AUROC and TPR at 1 % of the domains A to D, in percent."""
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
        "maps": "in %, domains A/B/C/D|published AUROC|ours|published TPR at 1 %|ours, FPR ≤ 1 %",
        "one": "\\* one seed.",
        "seeds": "Ours: seeds {}.",
        "seed": "Ours: one seed, {}, so that nothing here is tested.",
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
        "maps": "%, 도메인 A/B/C/D|발표 AUROC|여기|발표 1 %에서 TPR|여기, FPR ≤ 1 %",
        "one": "\\* 시드 하나.",
        "seeds": "여기: 시드 {}.",
        "seed": "여기: 시드 하나({})뿐이라 검정하지 않는다.",
    },
}


def study_tables(language: str) -> dict[str, str]:
    """Mark → content of the two tables."""
    text = WORDING[language]
    return {
        "cleaning": study_text("embed-cleaning", lambda found: _cleaning(found, text)),
        "maps": study_text("maps-losses", lambda found: _maps(found, text)),
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


def _maps(results: Results, text: Mapping[str, str]) -> str:
    name, *head = text["maps"].split("|")
    seeds = _shared_seeds(results)
    lines = [row(name, head), "|---" * (len(head) + 1) + "|"]
    for variant, published in MAPS.items():
        ours = (_by_domain(results, metric, variant, seeds) for metric in ("auroc", "tpr_at_1"))
        cells = [cell for pair in zip(published, ours, strict=True) for cell in pair]
        lines.append(row(variant, cells))
    counted = text["seed" if len(seeds) == 1 else "seeds"].format(", ".join(map(str, seeds)))
    return "\n".join([*lines, "", f"{text['one']} {counted}"])


def _by_domain(results: Results, metric: str, variant: str, seeds: Sequence[int]) -> str:
    found = [results.values(metric, domain, variant) for domain in DOMAINS]
    if not all(found):
        return "–"
    return "/".join(f"{100 * fmean(values[seed] for seed in seeds):.2f}" for values in found)


def _shared_seeds(results: Results) -> list[int]:
    """The seeds that every measured variant of the table has, so that all rows rest on the same runs."""
    measured = [set(seeds) for variant in MAPS if (seeds := results.seeds_of(variant))]
    return sorted(set.intersection(*measured))


def _spread(values: Sequence[float]) -> str:
    return f"{fmean(values):.3f} ± {stdev(values):.3f}" if len(values) > 1 else "–"
