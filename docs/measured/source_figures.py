"""The sources' published figures beside ours, in two languages: docs/sources.md and docs/sources.ko.md."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from statistics import fmean, stdev

from handshift.core.figure import COLOURS, new_figure, save_figure
from handshift.study.results import Results
from measured.markdown import Tree, row, spread
from measured.source_studies import study_tables
from measured.sources import benchmark_text, load_benchmark, study_text

SHARES = ("5%", "10%", "20%", "30%")
METRICS = ("auroc", "f1", "recall", "false_positive_rate", "tpr_at_1", "tpr_at_5", "accuracy")
PUBLISHED = {"auroc": "0.635", "f1": "0.756", "recall": "0.807", "false_positive_rate": "0.66 *"}
PUBLISHED_F1 = ("0.838", "0.861", "0.903", "0.963")
LATER = {
    "mean-pool": "0.514",
    "ab-mil": "0.838",
    "gated-ab-mil": "0.842",
    "clam-sb": "0.850",
    "ds-mil": "0.871",
}
WORDING = {
    "en": {
        "metrics": "AUC|F1|recall|one-hand bags flagged|TPR at FPR ≤ 1 %|TPR at FPR ≤ 5 %|accuracy",
        "published": "published",
        "ours": "ours, {variant}",
        "always": "always saying mixed",
        "share": "share replaced",
        "alone": "F1 of the mixed bags alone",
        "f1": "F1 with the one-hand bags",
        "recall": "recall",
        "derived": "\\* not published: it follows from F1 and recall at 2,880 mixed and 1,440 one-hand bags.",
        "verification": "| | published | ours |\n|---|---|---|",
        "words": "verification of words: AUC, EER",
        "words_published": "0.924, 0.136 (validation writers)",
        "accuracy": "1:1 accuracy: Siamese network; 10 folds, words; pages",
        "rank": "rank 1 from a page; from five words",
        "none": "none",
        "attention": "attention of a bag's ten instances",
        "smallest": "mean smallest and largest weight",
        "range": "90 % of the weights",
        "one hand": "one hand",
        "mixed": "mixed",
        "replaced": "AUC with which attention orders replaced instances before the others",
        "later": "AUC, 7 of 14 words foreign",
        "unseen": "ours, unseen writers",
        "shared": "ours, writers shared between bags",
        "changes": "what is changed, unseen writers",
    },
    "ko": {
        "metrics": "AUC|F1|재현율|지목된 한 사람 가방|FPR ≤ 1 %에서 TPR|FPR ≤ 5 %에서 TPR|정확도",
        "published": "발표",
        "ours": "여기, {variant}",
        "always": "늘 섞였다고 할 때",
        "share": "바뀐 비율",
        "alone": "섞인 가방만의 F1",
        "f1": "한 사람 가방을 더한 F1",
        "recall": "재현율",
        "derived": "\\* 발표되지 않음: 섞인 가방 2,880개, 한 사람 가방 1,440개에서 F1과 재현율로 계산된다.",
        "verification": "| | 발표 | 여기 |\n|---|---|---|",
        "words": "단어의 검증: AUC, EER",
        "words_published": "0.924, 0.136 (검증 필자)",
        "accuracy": "1:1 정확도: Siamese 네트워크; 10겹, 단어; 쪽",
        "rank": "한 쪽으로 1순위; 다섯 단어로",
        "none": "없음",
        "attention": "가방의 인스턴스 열 개의 어텐션",
        "smallest": "가장 작은 가중치와 큰 가중치의 평균",
        "range": "가중치의 90 %",
        "one hand": "한 사람",
        "mixed": "섞임",
        "replaced": "어텐션이 바뀐 인스턴스를 나머지보다 앞에 놓는 AUC",
        "later": "AUC, 14단어 중 7단어가 다른 필자",
        "unseen": "여기, 처음 보는 필자",
        "shared": "여기, 가방 사이에 필자가 겹침",
        "changes": "바꾼 것, 처음 보는 필자",
        "4 × as many steps": "단계를 4배로",
        "12,963 bags instead of 6,000": "가방 6,000개 대신 12,963개",
        "instances are windows of five words": "인스턴스는 다섯 단어의 창",
        "trans-mil of torchmil": "torchmil의 trans-mil",
    },
}


def source_tables(language: str) -> dict[str, str]:
    """Mark → content of the page's section of figures."""
    return {
        "stage-1": benchmark_text("verification identification", partial(_verification, language)),
        "stage-3": study_text("detect-source", lambda found: _track(found, language)),
        "attention": benchmark_text("source-attention", lambda found: _attention(found, language)),
        "later": benchmark_text("mil-heads", lambda found: _later(found, language)),
        **study_tables(language),
    }


def _verification(language: str, words: Tree, people: Tree) -> str:
    text = WORDING[language]
    found, pages = words["words"], words["pages"]
    ranks = "; ".join(spread(people[query]["mean"]["rank_1"]) for query in ("page", "5 words"))
    accuracy = "; ".join(f"{one['accuracy_10_fold']['value']:.3f}" for one in (found, pages))
    return "\n".join(
        [
            text["verification"],
            row(text["words"], [text["words_published"], f"{spread(found['auc'])}, {spread(found['eer'])}"]),
            row(text["accuracy"], ["0.644", accuracy]),
            row(text["rank"], [text["none"], ranks]),
        ]
    )


def _track(results: Results, language: str) -> str:
    """All bags together, then F1 and recall by share."""
    text = WORDING[language]
    variants = results.record.variants

    def cell(metric: str, group: str, variant: str) -> str:
        values = list(results.values(metric, group, variant).values())
        return f"{fmean(values):.3f} ± {stdev(values):.3f}" if len(values) > 1 else "–"

    lines = [row("", text["metrics"].split("|")), "|---" * (len(METRICS) + 1) + "|"]
    lines.append(row(text["published"], [PUBLISHED.get(metric, "–") for metric in METRICS]))
    for variant in variants:
        cells = [cell(metric, "all", variant) for metric in METRICS]
        lines.append(row(text["ours"].format(variant=variant), cells))
    # Of 2 mixed to 1 single bag: everything is flagged, so recall and the false-positive rate are 1.
    trivial = [f"{fmean(results.values('f1_always_mixed', 'all', variants[0]).values()):.3f}", "1", "1"]
    lines.append(row(text["always"], ["0.5", *trivial, "0", "0", "0.667"]))
    lines += ["", text["derived"], "", row(text["share"], SHARES), "|---" * (len(SHARES) + 1) + "|"]

    def by_share(label: str, name: str, cells: list[str]) -> None:
        lines.append(row(f"{text[label]}: {name}", cells))

    by_share("alone", text["published"], list(PUBLISHED_F1))
    for variant in variants:
        recalls = [fmean(results.values("recall", share, variant).values()) for share in SHARES]
        name = text["ours"].format(variant=variant)
        by_share("alone", name, [f"{2 * recall / (1 + recall):.3f}" for recall in recalls])
    by_share("alone", text["always"], ["1.000"] * len(SHARES))
    for metric in ("f1", "recall"):
        for variant in variants:
            cells = [cell(metric, share, variant) for share in SHARES]
            by_share(metric, text["ours"].format(variant=variant), cells)
        if metric == "f1":
            by_share("f1", text["always"], [cell("f1_always_mixed", share, variants[0]) for share in SHARES])
    return "\n".join(lines)


def _attention(found: Tree, language: str) -> str:
    text, seeds = WORDING[language], found["seeds"]

    def mean(kind: str, name: str, place: int | None = None) -> str:
        values = [seed[kind][name] if place is None else seed[kind][name][place] for seed in seeds]
        return f"{fmean(values):.3f}"

    head = [text["published"], text["smallest"], text["range"]]
    lines = [row(text["attention"], head), "|---|---|---|---|"]
    for kind, published in (("one hand", "0.08–0.12"), ("mixed", "0.02–0.25")):
        ends = f"{mean(kind, 'smallest')}, {mean(kind, 'largest')}"
        lines.append(
            row(text[kind], [published, ends, f"{mean(kind, 'range_90', 0)}–{mean(kind, 'range_90', 1)}"])
        )
    ordered = f"{text['replaced']}: {mean('mixed', 'auc_of_replaced')} (0.5)."
    return "\n".join([*lines, "", ordered])


def _later(found: Tree, language: str) -> str:
    text = WORDING[language]

    def cell(values: list[float]) -> str:
        return f"{fmean(values):.3f}"

    lines = [
        row(text["later"], [text["published"], text["unseen"], text["shared"]]),
        "|---|---|---|---|",
    ]
    for name, figures in found["auc"].items():
        cells = [LATER.get(name, "–"), cell(figures["unseen"]), cell(figures["shared"])]
        lines.append(row(text.get(name, name), cells))
    names = list(next(iter(found["changes"].values())))
    lines += ["", row(text["changes"], names), "|---" * (len(names) + 1) + "|"]
    for change, figures in found["changes"].items():
        lines.append(row(text.get(change, change), [cell(figures[name]) for name in names]))
    return "\n".join(lines)


def draw_attention(images: Path) -> None:
    """Bars of the ten weights of three one-hand and three mixed bags, from results/source-attention.json."""
    found = load_benchmark("source-attention")
    if found is None:
        return
    bags = found["shown"]
    figure, panels = new_figure(len(bags), width=3.2, height=2.4)
    most = max(0.3, max(max(bag["attention"]) for bag in bags) * 1.05)
    for panel, bag in zip(panels, bags, strict=True):
        colours = [COLOURS[1] if other else COLOURS[0] for other in bag["replaced"]]
        panel.bar(range(len(colours)), bag["attention"], color=colours)
        panel.axhline(1 / len(colours), color="#6f7780", linewidth=0.8, linestyle="--")
        panel.set_ylim(0, most)
        panel.set_title(f"mixed, {bag['share']:.0%}" if bag["mixed"] else "one hand", fontsize=9)
        panel.set_xlabel("instance", fontsize=8)
    panels[0].set_ylabel("attention", fontsize=8)
    save_figure(figure, images, "source-attention")
    (images / "source-attention.png").unlink()  # the page shows the drawing alone
