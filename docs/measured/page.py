"""Segmentation, time and memory of a page, and the training loop."""

from __future__ import annotations

from measured.markdown import Tree, row
from measured.sources import command_of, is_quiet, pending


def segmentation_text(results: Tree) -> str:
    """Word boxes on synthetic pages, and word counts on real ones."""
    boxes = {name: f for name, f in results["synthetic_box_f1_at_iou_0.5"].items() if name != "scribes"}
    lines = [row("synthetic pages, F1 of word boxes at IoU 0.5", ["mean", "worst page"]), "|---|---|---|"]
    lines += [row(name, [f"{f['mean']:.3f}", f"{f['worst']:.3f}"]) for name, f in boxes.items()]
    real = results["csafe_lnd_word_count"]
    about = (
        f"Words counted on {real['pages']} CSAFE letters: median absolute error "
        f"{real['median_absolute_error']:.1%}, {real['within_15_percent']:.0%} of the pages within 15 %."
    )
    finer = results["word_count_by_dpi"]
    within = f"{finer['pages_within_10_percent']:.0%} of the pages"
    by_dpi = (
        f"At {finer['dpi'][0]} to {finer['dpi'][-1]} dpi, {finer['pages']} real pages resampled: the "
        f"number of words is within 10 % of that at 150 dpi at every resolution for {within}; "
        f"the largest difference is {finer['largest']:.0%}."
    )
    return "\n".join([*lines, "", about, by_dpi])


def page_text(results: Tree) -> str:
    """Time and memory from file to verdict, beside a text detector in the same run."""
    if not is_quiet(results):
        return pending(command_of("page"))
    peer = results.get("rapidocr_over_handshift")
    ratio = f" The text detector `rapidocr` takes {peer:.1f} × as long in the same run." if peer else ""
    return (
        f"A page of {results['words_a_page']:.0f} words: {results['file_to_verdict_s']:.2f} s from file to "
        f"verdict, {results['of_which_segmentation_s']:.2f} s of it segmentation; a photo of 12 megapixels "
        f"{results['photo_12_megapixels_to_verdict_s']:.2f} s; "
        f"{results['peak_memory_mb']:.0f} MB at the peak.{ratio}"
    )


def loop_text(results: Tree) -> str:
    """Speed of the training loop beside a bare PyTorch loop in the same run."""
    ratios = results["fit_over_bare"]
    return (
        "Steps per second of `training.fit` over those of a bare PyTorch loop in the same run: "
        f"{ratios['percentile_50']:.3f} by the median step, {ratios['percentile_10']:.3f} by the tenth "
        "percentile."
    )
