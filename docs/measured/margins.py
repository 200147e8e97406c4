"""Time and memory of margin losses."""

from __future__ import annotations

from measured.markdown import Tree, row


def speed_text(margins: Tree) -> str:
    """Each loss's share of the time of its peer in pytorch-metric-learning."""
    time = margins["time"]
    shares = {
        loss: [f"{of[loss]['ratio']:.2f}×" for of in time.values()] for loss in next(iter(time.values()))
    }
    lines = [row("loss", [f"{int(count):,} classes" for count in time]), "|---" * (len(time) + 1) + "|"]
    return "\n".join([*lines, *(row(loss, cells) for loss, cells in shares.items())])


def memory_text(margins: Tree) -> str:
    """Peak memory where classes are very many."""
    ((count, heads),) = margins["memory"].items()
    lines = [row(f"at {int(count):,} classes", ["peak memory"]), "|---|---|"]
    for name, cost in heads.items():
        lines.append(row(name, [f"{cost['peak_gb']:.2f} GB"]))
    return "\n".join(lines)
