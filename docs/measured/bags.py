"""Time and memory of bag sets."""

from __future__ import annotations

from collections.abc import Mapping

from measured.markdown import Tree, row
from measured.sources import command_of, is_quiet, pending


def bags_text(bags: Tree) -> str:
    """Time and memory of drawing and storing bags."""
    quiet = is_quiet(bags)
    lines = ["| | drawn in | set | their vectors | set / vectors |", "|---|---|---|---|---|"]
    for name, cost in bags.items():
        if isinstance(cost, Mapping) and "draw_peak_mb" in cost:
            sizes = [f"{cost['set_mb']:.1f} MB", f"{cost['vectors_mb']:.0f} MB"]
            lines.append(
                row(
                    name,
                    [
                        f"{cost['draw_s']:.2f} s" if quiet else "(\\*)",
                        *sizes,
                        f"{cost['set_over_vectors_%']:.2f} %",
                    ],
                )
            )
    arrays = bags["vectors of windows of 5 (the source's arrays), MB"]
    part = bags["set over the source's arrays, %"]
    sentences = [
        f"Against the arrays of windows that the source stores ({arrays:.0f} MB) the first is {part:.2f} %."
    ]
    if quiet:
        sentences.append(
            f"Copying the vectors out alone takes {bags['vectors copied out, s']:.1f} s, "
            f"a fresh batch of 64 {bags['fresh batch of 64, ms']:.0f} ms."
        )
    else:
        sentences.append(f"Times (\\*) on a machine without other work: {pending(command_of('bags'))}")
    return "\n".join([*lines, "", *sentences])
