"""Fill the documents with what was measured: ``python docs/figures.py``.

Tables and the figures of the shipped model's card come from results/*.json, the picture and the printed
verdict from the demo page. Run it after either changes; a test compares the tables.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from detector_tables import detector_tables
from healthmap_tables import gearbox_text, physics_text, statistics_text
from study_tables import cleaning_text, maps_tables, ranked_text

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results"
CARD = ROOT / "src" / "handshift" / "models" / "words-3" / "card.json"
COMPARISONS = ("mixed_against_single", "mixed_against_spliced", "control_spliced_against_single")
WORDING = {
    "en": {
        "mixed_against_single": "mixed against one hand",
        "mixed_against_spliced": "mixed against spliced",
        "control_spliced_against_single": "spliced against one hand (0.5 wanted)",
        "14 words": "14 words",
        "whole page": "whole page",
        "head": "AUC, by share of foreign words",
        "words": "Are two words by one hand? AUC {auc}, EER {eer:.3f} ({pairs:,} pairs, {writers} writers; "
        "chance 0.5 and 0.5).",
        "tpr": "TPR at FPR ≤ 5 %",
        "where": "which words, within a mixed one",
    },
    "ko": {
        "mixed_against_single": "섞인 문서 대 한 사람",
        "mixed_against_spliced": "섞인 문서 대 spliced",
        "control_spliced_against_single": "spliced 대 한 사람 (0.5가 바람직)",
        "14 words": "14단어",
        "whole page": "한 장 전체",
        "head": "AUC, 다른 사람이 쓴 단어의 비율별",
        "words": "두 단어를 한 사람이 썼는가: AUC {auc}, EER {eer:.3f} (필자 {writers}명의 {pairs:,}쌍; "
        "우연 수준은 0.5와 0.5).",
    },
}
Tree = Mapping[str, Any]


def results_text(results: Tree, language: str = "en", full: bool = False) -> str:
    """Say how well words and documents are told apart; in full with intervals and detection rates."""
    say, pairs = WORDING[language], results["word_verification"]
    given = {"auc": _auc(pairs, full), "writers": results["writers"]}
    lines = [say["words"].format_map({**pairs, **given}), ""]
    for number, (size, shares) in enumerate(results["documents"].items()):
        if number == 0:
            lines += [_row(say["head"], shares), f"|---|{'---|' * len(shares)}"]
        title = say.get(size, size)
        for name in COMPARISONS:
            lines.append(_row(f"{title}: {say[name]}", [_auc(s[name], full) for s in shares.values()]))
        if full:
            for name in COMPARISONS[:2]:
                cells = [f"{share[name]['tpr_at_fpr_5%']:.3f}" for share in shares.values()]
                lines.append(_row(f"{title}: {say[name]}, {say['tpr']}", cells))
            cells = [f"{share['word_auc']:.3f}" for share in shares.values()]
            lines.append(_row(f"{title}: {say['where']}", cells))
    return "\n".join(lines)


def embeddings_text(verification: Tree, identification: Tree, throughput: Tree) -> str:
    """Say how well words and pages are compared and people identified, and how fast."""
    lines = ["| | figure | interval | chance |", "|---|---|---|---|"]
    for unit in ("words", "pages"):
        figures, label = verification[unit], unit.removesuffix("s")
        lines += [
            _measured(f"{label} pairs, other session: AUC", figures["auc"], "0.5"),
            _measured(f"{label} pairs: EER", figures["eer"], "0.5"),
            _measured(f"{label} pairs: FPR at FNR ≤ 4 %", figures["fpr_at_fnr_4%"], "0.96"),
            _row(
                f"{label} pairs: accuracy, 10 folds",
                [f"{figures['accuracy_10_fold']['value']:.3f}", "", "0.5"],
            ),
        ]
        for rate in ("1e-3", "1e-4", "1e-5"):
            tar = figures[f"tar_at_far_{rate}"]
            few = "" if tar["enough"] else "too few pairs to mean much"
            lines.append(_row(f"{label} pairs: TAR at FAR {rate}", [f"{tar['value']:.3f}", few, rate]))
    for columns, found in verification["words"].get("by_shorter_word", {}).items():
        told = [f"{found['auc']:.3f}", f"{found['pairs']:,} pairs", "0.5"]
        lines.append(_row(f"word pairs whose shorter word has {columns} inked columns: AUC", told))
    for name, asked in (("page", "a page"), ("5 words", "five words")):
        found = identification[name]["mean"]
        chance = found["chance"]["rank_1"]
        lines.append(_measured(f"identified at rank 1 from {asked}", found["rank_1"], f"{chance:.3f}"))
        for error, limit in found["open_set_half_enrolled"]["chance"].items():
            value = found["open_set_half_enrolled"][error]
            label = error.replace("_", " ")
            lines.append(_measured(f"{asked}, half of the writers enrolled: {label}", value, f"{limit:g}"))
    ratio = f"{throughput['ratio']:.0f} × ViT-B/16 at 224 px"
    speed = f"{throughput['shipped_words_per_second']:,.0f} on {throughput['threads']} threads"
    lines.append(_row("words per second", [speed, "", ratio]))
    return "\n".join(lines)


def bags_text(bags: Tree) -> str:
    """Say what drawing and keeping bags costs."""
    lines = ["| | drawn in | set | their vectors | set / vectors |", "|---|---|---|---|---|"]
    for name, cost in bags.items():
        if isinstance(cost, Mapping) and "draw_peak_mb" in cost:
            sizes = [f"{cost['set_mb']:.1f} MB", f"{cost['vectors_mb']:.0f} MB"]
            lines.append(
                _row(name, [f"{cost['draw_s']:.2f} s", *sizes, f"{cost['set_over_vectors_%']:.2f} %"])
            )
    arrays = bags["vectors of windows of 5 (the source's arrays), MB"]
    part = bags["set over the source's arrays, %"]
    told = [
        f"Against the arrays of windows that the source stores ({arrays:.0f} MB) the first is {part:.2f} %.",
        f"Copying the vectors out alone takes {bags['vectors copied out, s']:.1f} s, "
        f"a fresh batch of 64 {bags['fresh batch of 64, ms']:.0f} ms.",
    ]
    return "\n".join([*lines, "", *told])


def hands_text(results: Tree) -> str:
    """Say how well hands are counted, words ascribed and pages linked, beside two baselines."""
    methods = ("handshift", "agglomerative, cosine", "spectral, eigengap")
    heads = [f"{name}: number right" for name in methods] + [f"{name}: word error" for name in methods]
    lines = [_row("page", [*heads, "all as one hand: word error"]), f"|---|{'---|' * (len(heads) + 1)}"]
    for kind, found in results["pages"].items():
        cells = [_percent(found[name][figure]) for figure in ("exact", "word_error") for name in methods]
        lines.append(_row(kind, [*cells, f"{found['all as one hand']['word_error']:.1%}"]))
    means = ", ".join(f"{name} {value:.1%}" for name, value in results["exact_over_1_2_3_4"].items())
    document = results["document"]
    return "\n".join(
        [
            *lines,
            "",
            f"Number right, mean over pages of 1, 2, 3 and 4 hands: {means}. "
            f"{results['writers']} writers, model {results['model']}.",
            "",
            f"A document of {document['pages']} pages by {document['writers']} people, from the files: "
            f"pairwise F1 {document['pairwise_f1']:.3f} "
            f"(all as one hand {document['all_as_one_hand_f1']:.3f}), {document['hands_told']} hands told, "
            f"{document['cpu_seconds']:.1f} s of processor time ({document['seconds']:.1f} s by the clock on "
            f"{document['threads']} threads of a machine at load {document['load_average']}).",
        ]
    )


def validation_text(results: Tree) -> str:
    """Say what likelihood ratios cost and how often they mislead."""
    lines = [
        "| documents | against | Cllr | Cllr_min | Cllr_cal | one hand misleading | several misleading |"
    ]
    lines.append("|---|---|---|---|---|---|---|")
    names = {"against_one_session": "one day", "against_spliced": "two days", "against_both": "half and half"}
    for setting, found in results["likelihood_ratios"].items():
        for key, name in names.items():
            if figures := found[key]:
                costs = [_spread(figures[cost]) for cost in ("cllr", "cllr_min", "cllr_cal")]
                rates = [_percent(figures[rate]) for rate in ("misleading_second", "misleading_first")]
                lines.append(_row(setting, [name, *costs, *rates]))
    about = f"{results['writers']} writers, {results['pages']} pages, model {results['model']}. "
    about += "Saying nothing (LR = 1) costs 1."
    return "\n".join([*lines, "", about])


def speed_text(margins: Tree) -> str:
    """Say what share of the reference's time each loss takes."""
    time = margins["time"]
    shares = {
        loss: [f"{of[loss]['ratio']:.2f}×" for of in time.values()] for loss in next(iter(time.values()))
    }
    lines = [_row("loss", [f"{int(count):,} classes" for count in time]), "|---" * (len(time) + 1) + "|"]
    return "\n".join([*lines, *(_row(loss, cells) for loss, cells in shares.items())])


def memory_text(margins: Tree) -> str:
    """Say what a step takes where classes are very many."""
    ((count, heads),) = margins["memory"].items()
    lines = [_row(f"at {int(count):,} classes", ["peak memory", "time of a step"]), "|---|---|---|"]
    for name, cost in heads.items():
        lines.append(_row(name, [f"{cost['peak_gb']:.2f} GB", f"{cost['step_seconds']:.1f} s"]))
    return "\n".join(lines)


def inversion_text(inversion: Tree) -> str:
    """Say to whom recovered pictures are given, by a judge and by the model, and real words beside."""
    given = inversion["given_to_the_right_writer"]
    chance, recovered = f"{given['chance']:.4f}", f"{inversion['pictures']} recovered pictures"
    lines = [
        f"| {inversion['writers']} writers known to both | given to their writer | interval | chance |",
        "|---|---|---|---|",
        _measured(f"{recovered}, by the judge", given["by the judge"], chance),
        _measured(f"{recovered}, by the inverted model", given["by the model itself"], chance),
    ]
    real = inversion["real_words_given_to_the_right_writer_by_the_judge"]
    return "\n".join([*lines, _measured("real words of the same writers, by the judge", real, chance)])


def card_figures(spine: Tree, verification: Tree, identification: Tree) -> dict[str, Any]:
    """Pick what a model's card should hold."""
    page = spine["documents"]["whole page"]["20%"]
    return {
        "parameters": verification["model"]["parameters"],
        "word_auc": verification["words"]["auc"]["value"],
        "word_eer": verification["words"]["eer"]["value"],
        "page_pair_auc": verification["pages"]["auc"]["value"],
        "rank_1_from_a_page": identification["page"]["mean"]["rank_1"]["value"],
        "page_auc_at_20_percent_foreign": {
            "against_one_session": page["mixed_against_single"]["auc"],
            "against_spliced": page["mixed_against_spliced"]["auc"],
            "control": page["control_spliced_against_single"]["auc"],
        },
    }


def card_text(card: Tree) -> str:
    """Lay a model's card out as Markdown."""
    lines = ["| | |", "|---|---|"]
    return "\n".join(lines + [_row(n.replace("_", " "), [v]) for n, v in card.items() if n != "figures"])


def filled(text: str, name: str, content: str) -> str:
    """Put content between ``<!-- name:begin -->`` and ``<!-- name:end -->``."""
    pattern = re.compile(rf"(<!-- {name}:begin -->\n).*?(<!-- {name}:end -->)", re.DOTALL)
    if not pattern.search(text):
        raise ValueError(f"no <!-- {name}:begin --> … <!-- {name}:end --> to fill")
    return pattern.sub(lambda found: f"{found[1]}{content}\n{found[2]}", text)


def documents() -> dict[Path, str]:
    """Every document that holds figures, as it should read."""
    spine, verification, identification, throughput = (
        json.loads(_read(RESULTS / f"{name}.json"))
        for name in ("spine", "verification", "identification", "throughput")
    )
    card = json.loads(_read(CARD)) | {"figures": card_figures(spine, verification, identification)}
    texts = {CARD: json.dumps(card, indent=2, ensure_ascii=False) + "\n"}
    for name, language in (("README.md", "en"), ("README.ko.md", "ko")):
        texts[ROOT / name] = filled(_read(ROOT / name), "results", results_text(spine, language))
    page = ROOT / "docs" / "results.md"
    texts[page] = filled(_read(page), "results", results_text(spine, full=True))
    embeddings = embeddings_text(verification, identification, throughput)
    texts[page] = filled(texts[page], "embeddings", embeddings)
    for name, tables in _tables_by_page().items():
        page = ROOT / "docs" / name
        texts[page] = _read(page)
        for table, content in tables.items():
            texts[page] = filled(texts[page], table, content)
    for name, source, text in (
        ("hands", "hands.json", hands_text),
        ("evidence", "validation/validation.json", validation_text),
    ):
        page = ROOT / "docs" / f"{name}.md"
        mark = "hands" if name == "hands" else "validation"
        texts[page] = filled(_read(page), mark, text(json.loads(_read(RESULTS / source))))
    page = ROOT / "docs" / "model-card.md"
    texts[page] = filled(_read(page), "card", card_text(card))
    return texts


def _tables_by_page() -> dict[str, dict[str, str]]:
    """Further tables: page → mark → content."""
    simulated = json.loads(_read(RESULTS / "simulated-maps.json"))
    margins = json.loads(_read(RESULTS / "margins.json"))
    return {
        "bags.md": {"cost": bags_text(json.loads(_read(RESULTS / "bags.json")))},
        "healthmaps.md": {
            "gearbox": gearbox_text(json.loads(_read(RESULTS / "gearbox.json"))),
            "statistics": statistics_text(simulated),
            "physics": physics_text(simulated),
        },
        "cleaning.md": {"cleaning": cleaning_text("embed-cleaning")},
        "inversion.md": {"inversion": inversion_text(json.loads(_read(RESULTS / "inversion.json")))},
        "detectors.md": detector_tables(),
        "margins.md": {
            "study": ranked_text("embed-margins", "auroc"),
            "speed": speed_text(margins),
            "memory": memory_text(margins),
        },
        "healthmaps-results.md": maps_tables("maps-losses"),
    }


def demo_output() -> str:
    """Return what the terminal shows of the two-hand demo page."""
    from handshift.demo import TWO_HANDS

    with TemporaryDirectory() as desk:
        shutil.copy(TWO_HANDS, Path(desk, "letter.png"))
        command = [Path(sys.executable).with_name("handshift"), "examine", "letter.png", "--no-report"]
        run = subprocess.run(command, cwd=desk, capture_output=True, text=True, check=True)
    lines = [line.rstrip() for line in run.stdout.strip().splitlines()]
    return "\n".join(["```text", "$ handshift examine letter.png", *lines, "```"])


def draw_demo(path: Path) -> None:
    """Draw the two-hand demo page as handshift marks it, in 32 colours."""
    from PIL import Image

    import handshift
    from handshift.demo import TWO_HANDS
    from handshift.page.draw import draw_words

    verdict = handshift.examine(TWO_HANDS)
    boxes = [word.box for word in verdict.page.words]
    hands = [finding.hand for finding in verdict.words]
    strength = [0.0 if finding.hand == "A" else finding.posterior for finding in verdict.words]
    drawn = Image.fromarray(draw_words(verdict.page.image, boxes, hands, strength))
    path.parent.mkdir(exist_ok=True)
    drawn.quantize(32, dither=Image.Dither.NONE).save(path, optimize=True)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _auc(figures: Tree, full: bool) -> str:
    interval = " ({:.2f}–{:.2f})".format(*figures["auc_interval"]) if full else ""
    return f"{figures['auc']:.3f}{interval}"


def _measured(label: str, figure: Tree, chance: str) -> str:
    low, high = figure["interval"]
    return _row(label, [f"{figure['value']:.3f}", f"{low:.3f}–{high:.3f}", chance])


def _spread(figure: Tree) -> str:
    return "{:.3f} ({:.3f}–{:.3f})".format(figure["value"], *figure["interval"])


def _percent(figure: Tree) -> str:
    low, high = figure["interval"]
    return f"{figure['value']:.1%} ({100 * low:.0f}–{100 * high:.0f})"


def _row(label: str, cells: Iterable[str]) -> str:
    return f"| {label} | {' | '.join(cells)} |"


if __name__ == "__main__":
    for document, text in documents().items():
        document.write_text(text, encoding="utf-8")
        print(document.relative_to(ROOT))
    draw_demo(ROOT / "docs" / "images" / "two-hands.png")
    shown = demo_output()
    for readme in (ROOT / "README.md", ROOT / "README.ko.md"):
        readme.write_text(filled(_read(readme), "verdict", shown), encoding="utf-8")
