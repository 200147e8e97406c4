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
