"""Hands counted and linked; calibration of likelihood ratios."""

from __future__ import annotations

from handshift.calibration.verbal_scale import Language
from handshift.report.about_run import in_language
from measured.markdown import Tree, percent, row, spread


def hands_text(results: Tree) -> str:
    """How well hands are counted, words attributed and pages linked, beside two baselines."""
    methods = ("handshift", "agglomerative, cosine", "spectral, eigengap")
    heads = [f"{name}: number right" for name in methods] + [f"{name}: word error" for name in methods]
    lines = [row("page", [*heads, "all as one hand: word error"]), f"|---|{'---|' * (len(heads) + 1)}"]
    for kind, found in results["pages"].items():
        cells = [percent(found[name][figure]) for figure in ("exact", "word_error") for name in methods]
        lines.append(row(kind, [*cells, f"{found['all as one hand']['word_error']:.1%}"]))
    means = ", ".join(f"{name} {value:.1%}" for name, value in results["exact_over_1_2_3_4"].items())
    linked = results["documents"]
    each = linked["each"]
    counts = ", ".join(str(one["hands_found"]) for one in each)
    slowest = max(each, key=lambda one: one["cpu_seconds"])
    trivial = sum(one["all_as_one_hand_f1"] for one in each) / len(each)
    return "\n".join(
        [
            *lines,
            "",
            f"Number right, mean over pages of 1, 2, 3 and 4 hands: {means}. "
            f"{results['writers']} writers, model {results['model']}.",
            "",
            f"{len(each)} documents of {linked['pages']} pages by {linked['writers']} people, from the "
            f"files: pairwise F1 {linked['mean_f1']:.3f} on average, {linked['least_f1']:.3f} at least (all "
            f"as one hand {trivial:.3f}); {counts} hands found. Each takes {slowest['cpu_seconds']:.1f} s of "
            f"processor time at most ({slowest['seconds']:.1f} s by the clock on {linked['threads']} thread "
            f"of a machine at load {slowest['load_average']}).",
        ]
    )


def validation_text(results: Tree) -> str:
    """Cllr of likelihood ratios, and how often they mislead."""
    lines = [
        "| documents | against | Cllr | Cllr_min | Cllr_cal | by chance | one hand misleading "
        "| several misleading |",
        "|---|---|---|---|---|---|---|---|",
    ]
    names = {"against_one_session": "one day", "against_spliced": "two days", "against_both": "half and half"}
    for setting, found in results["likelihood_ratios"].items():
        for key, name in names.items():
            if figures := found[key]:
                costs = [spread(figures[cost]) for cost in ("cllr", "cllr_min", "cllr_cal")]
                rates = [percent(figures[rate]) for rate in ("misleading_second", "misleading_first")]
                chance = f"{figures['chance_cal']:.3f}"
                lines.append(row(setting, [name, *costs, chance, *rates]))
    about = f"{results['writers']} writers, {results['pages']} pages, model {results['model']}. "
    about += "Saying nothing (LR = 1) costs 1. *By chance* is the Cllr_cal that perfectly calibrated ratios "
    about += f"would show on so many documents ({results['documents']} of each kind)."
    return "\n".join([*lines, "", about, "", "[The report as written](validation.html), with its plots."])


def matrix_text(results: Tree) -> str:
    """The validation matrix of the shipped model: sentence, criteria, and bounds by three methods."""
    matrix = results["matrix"]
    lines = [
        row("characteristic", ["metric", "documents", "one hand on", "criterion", "measured", ""]),
        f"|---|{'---|' * 6}",
    ]
    said = in_language(Language.en)
    for one in matrix["rows"]:
        limit = f"≤ {one['at_most']:g}" if "at_most" in one else f"≥ {one['at_least']:g}"
        value = "not measured" if one["value"] is None else spread(one)
        passed = "passed" if one["passed"] else "**failed**"
        cells = [said(one["metric"]), one["setting"], said(one["against"]), limit, value, passed]
        lines.append(row(one["characteristic"], cells))
    bounds = [row("bounds of log10 LR", ["ELUB", "IV", "n-source"]), "|---|---|---|---|"]
    for one in matrix["bounds"]:
        ends = ("elub", "invariance", "sources")
        cells = ["{:+.2f} to {:+.2f}".format(*one[name]) for name in ends]
        bounds.append(row(one["setting"], cells))
    groups = ("usable_for", "not_for", "without_criterion")
    usable, not_for, unjudged = ("; ".join(matrix[name]) or "none" for name in groups)
    sentence = f"By these criteria usable for: {usable}. Not for: {not_for}. Without a criterion: {unjudged}."
    return "\n".join([sentence, "", *lines, "", *bounds])


def small_pages_text(results: Tree) -> str:
    """Cllr of few words by their own calibration and by that of fourteen."""
    sizes = {name: found for name, found in results.items() if name.isdigit()}
    manners = [name for name in next(iter(sizes.values())) if name != "bounds"]
    heads = [f"Cllr, calibration {_whose(name)}" for name in manners]
    heads += [f"one hand above 10, several below 1/10, {_whose(name)}" for name in manners]
    lines = [row("words", [*heads, "bounds"]), f"|---|{'---|' * (len(heads) + 1)}"]
    for name, found in sizes.items():
        cells = [spread(found[manner]["cllr"]) for manner in manners]
        cells += [
            f"{found[manner]['one hand above 10']:.1%}, {found[manner]['several below 1/10']:.1%}"
            for manner in manners
        ]
        low, high = found["bounds"]
        lines.append(row(name, [*cells, f"{low:+.2f} to {high:+.2f}"]))
    return "\n".join(lines)


def _whose(manner: str) -> str:
    return "of their own" if manner == "own" else manner
