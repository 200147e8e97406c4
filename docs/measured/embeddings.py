"""How well words and pages are compared, and people identified; the shipped model's card."""

from __future__ import annotations

from typing import Any

from measured.markdown import Tree, measured, row

HEAD = ["| | figure | interval | chance |", "|---|---|---|---|"]


def verification_text(verification: Tree) -> str:
    """Figures of word pairs and page pairs, with the size of the writing, by length of the shorter word."""
    lines = [*HEAD]
    for unit in ("words", "pages"):
        figures, label = verification[unit], unit.removesuffix("s")
        folds = f"{figures['accuracy_10_fold']['value']:.3f}"
        lines += [
            measured(f"{label} pairs, other session: AUC", figures["auc"], "0.5"),
            measured(f"{label} pairs: EER", figures["eer"], "0.5"),
            measured(f"{label} pairs: FPR at FNR ≤ 4 %", figures["fpr_at_fnr_4%"], "0.96"),
            row(f"{label} pairs: accuracy, 10 folds", [folds, "", "0.5"]),
        ]
        for rate in ("1e-3", "1e-4", "1e-5"):
            tar = figures[f"tar_at_far_{rate}"]
            few = "" if tar["enough"] else "too few pairs to mean much"
            lines.append(row(f"{label} pairs: TAR at FAR {rate}", [f"{tar['value']:.3f}", few, rate]))
    for label, found in _compared(verification):
        lines += [
            measured(f"{label}: AUC", found["auc"], "0.5"),
            measured(f"{label}: EER", found["eer"], "0.5"),
        ]
    for columns, found in verification["words"].get("by_shorter_word", {}).items():
        cells = [f"{found['auc']:.3f}", f"{found['pairs']:,} pairs", "0.5"]
        lines.append(row(f"word pairs whose shorter word has {columns} inked columns: AUC", cells))
    return "\n".join(lines)


def _compared(verification: Tree) -> list[tuple[str, Tree]]:
    """What the product compares, where sizes were known: likelihood ratios without and with the size."""
    words, pages = verification["words"].get("compared", {}), verification["pages"].get("with_size")
    named = {
        "word pairs, likelihood ratio": words.get("without size"),
        "word pairs, likelihood ratio with the size of the writing": words.get("with size"),
        "page pairs, with the size of the writing": pages,
    }
    return [(label, found) for label, found in named.items() if found]


def identification_text(identification: Tree) -> str:
    """Rank 1 with all writers enrolled, and open-set errors with half of them, from a page and five words."""
    lines = [*HEAD]
    sized = {", with the size of the writing": identification.get("with size")}
    for beside, figures in ({"": identification} | {key: one for key, one in sized.items() if one}).items():
        for name, asked in (("page", "a page"), ("5 words", "five words")):
            found = figures[name]["mean"]
            chance = found["chance"]["rank_1"]
            label = f"identified at rank 1 from {asked}{beside}"
            lines.append(measured(label, found["rank_1"], f"{chance:.3f}"))
            for error, limit in found["open_set_half_enrolled"]["chance"].items():
                value = found["open_set_half_enrolled"][error]
                label = f"{asked}, half of the writers enrolled{beside}: {error.replace('_', ' ')}"
                lines.append(measured(label, value, f"{limit:g}"))
    return "\n".join(lines)


def throughput_text(throughput: Tree) -> str:
    """Words per second beside ViT-B/16 in the same run."""
    return (
        f"Words per second on {throughput['threads']} threads: {throughput['ratio']:.0f} × those of ViT-B/16 "
        f"at 224 px in the same run (lowest round {throughput['ratio_lowest_round']:.0f} ×)."
    )


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
    return "\n".join(lines + [row(n.replace("_", " "), [v]) for n, v in card.items() if n != "figures"])
