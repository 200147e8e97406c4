"""Detection rates on pages that were joined as pictures."""

from __future__ import annotations

from measured.markdown import Tree, row, spread


def joined_text(results: Tree) -> str:
    """How often each kind of page is found to be by several hands, and the AUC between kinds."""
    kinds = results["kinds"]
    heads = list(next(iter(kinds.values())))
    lines = [row("page", heads), "|---" * (len(heads) + 1) + "|"]
    lines += [row(kind, [f"{rates[head]:.1%}" for head in heads]) for kind, rates in kinds.items()]
    areas = "; ".join(f"{pair} {spread(figure)}" for pair, figure in results["auc"].items())
    about = f"{results['pages']} pages of each kind, {results['writers']} writers. "
    about += f"AUC (95 % over writers): {areas}."
    return "\n".join([*lines, "", about])
