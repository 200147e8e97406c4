"""Pages in everyday conditions: firm errors, refusals and AUC."""

from __future__ import annotations

from measured.markdown import Tree, row


def wild_text(wild: Tree) -> str:
    """A line for every condition, after a sentence on all of them."""
    total = (
        f"Model {wild['model']}, {wild['part']} writers, {wild['cases']:,} pages: "
        f"{wild['wrong_and_confident']:.1%} wrong and confident."
    )
    head = ["pages", "wrong and confident", "refused", "AUC, refused pages at 0", "wrong without the guard"]
    lines = [total, "", row("condition", head), f"|---|{'---|' * len(head)}"]
    for name, found in wild["conditions"].items():
        auc = f"{found['auc']:.3f}" if "auc" in found else "–"
        shares = [f"{found[key]:.1%}" for key in ("wrong_and_confident", "refused")]
        cells = [str(found["pages"]), *shares, auc, f"{found['wrong_without_guard']:.1%}"]
        lines.append(row(name, cells))
    return "\n".join(lines)


def marks_text(marks: Tree) -> str:
    """Precision and recall of every kind of mark."""
    lines = [
        f"{marks['part'].capitalize()} writers, {marks['pages_of_each_kind']} pages of each kind.",
        "",
        row("kind", ["marks", "recall", "found", "precision"]),
        "|---|---|---|---|---|",
    ]
    for name, found in marks["kinds"].items():
        cells = [
            str(found["marks"]),
            f"{found['recall']:.3f}",
            str(found["found"]),
            f"{found['precision']:.3f}",
        ]
        lines.append(row(name, cells))
    return "\n".join(lines)


def wills_text(wills: Tree) -> str:
    """AUC within the pages, and of pages with notes."""
    within = [page["auc"] for page in wills["pages"].values() if page.get("auc") is not None]
    below = sum(value < 0.5 for value in within)
    pages = f"{len(wills['pages'])} pages of {wills['testators']} testators kept for it"
    return (
        f"{pages}: AUC of the words' posterior within a page {wills['words_auc_mean']:.3f} in the mean of "
        f"{len(within)} pages ({below} below .5), {wills['written_words_auc_mean']:.3f} of writing alone; "
        f"{wills['pages_with_notes']} pages with notes against the lines of the testators alone: AUC "
        f"{wills['notes_against_alone_auc']:.3f}."
    )
