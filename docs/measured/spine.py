"""Word verification and document detection on the test writers, in two languages."""

from __future__ import annotations

from measured.markdown import Tree, row

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


def results_text(results: Tree, language: str = "en", full: bool = False) -> str:
    """AUC of word pairs and of documents by share of foreign words; in full with intervals and rates."""
    wording, pairs = WORDING[language], results["word_verification"]
    given = {"auc": _auc(pairs, full), "writers": results["writers"]}
    lines = [wording["words"].format_map({**pairs, **given}), ""]
    shown: list[str] = []
    for size, shares in results["documents"].items():
        if list(shares) != shown:  # another table where the shares differ
            lines += [""] * bool(shown) + [row(wording["head"], shares), f"|---|{'---|' * len(shares)}"]
            shown = list(shares)
        title = wording.get(size, size)
        for name in COMPARISONS:
            lines.append(row(f"{title}: {wording[name]}", [_auc(s[name], full) for s in shares.values()]))
        if full:
            for name in COMPARISONS[:2]:
                cells = [f"{share[name]['tpr_at_fpr_5%']:.3f}" for share in shares.values()]
                lines.append(row(f"{title}: {wording[name]}, {wording['tpr']}", cells))
            cells = [f"{share['word_auc']:.3f}" for share in shares.values()]
            lines.append(row(f"{title}: {wording['where']}", cells))
    if full and "two_sessions_at_5%" in results:
        passed = {wording.get(size, size): each for size, each in results["two_sessions_at_5%"].items()}
        said = [
            "{}: {:.1%} ({:.1%}–{:.1%})".format(size, each["value"], *each["interval"])
            for size, each in passed.items()
        ]
        lines += [
            "",
            f"Two sessions of one writer at the score that 5 % of one session pass: {', '.join(said)}.",
        ]
    return "\n".join(lines)


def _auc(figures: Tree, full: bool) -> str:
    interval = " ({:.2f}–{:.2f})".format(*figures["auc_interval"]) if full else ""
    return f"{figures['auc']:.3f}{interval}"
