"""What pages that were joined as pictures are said to be."""

from __future__ import annotations

from measured.markdown import Tree, row, spread


def joined_text(results: Tree) -> str:
    """How often each kind of page is taken for several hands' work, and how well kinds are told apart."""
    kinds = results["kinds"]
    heads = list(next(iter(kinds.values())))
    lines = [row("page", heads), "|---" * (len(heads) + 1) + "|"]
    lines += [row(kind, [f"{rates[head]:.1%}" for head in heads]) for kind, rates in kinds.items()]
    areas = "; ".join(f"{pair} {spread(figure)}" for pair, figure in results["auc"].items())
    told = f"{results['pages']} pages of each kind, {results['writers']} writers. "
    told += f"AUC (95 % over writers): {areas}."
    return "\n".join([*lines, "", told])
