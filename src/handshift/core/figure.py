"""How all drawn figures look, and how they are written."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from handshift.core.atomic import write_bytes

# Okabe & Ito's palette: distinguishable to colour-blind readers too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999933")

MOST_A_ROW = 3
"""Panels side by side; more of them continue in the next row."""
FORMATS: dict[str, dict[str, Any]] = {
    "svg": {"metadata": {"Date": None, "Creator": "handshift"}},
    "png": {"metadata": {"Software": "handshift"}, "dpi": 150},
}
"""Options of each file; the program is named so that the same call may write over its own figure."""


def new_figure(panels: int = 1, width: float = 4.6, height: float = 3.6) -> tuple[Figure, list[Any]]:
    """Make a figure of panels, without pyplot's global state, so that it can be drawn in any process.

    Args:
        panels: How many; three in a row.
        width: Of one panel, in inches.
        height: Of one panel, in inches.

    Returns:
        The figure, and its panels row by row.
    """
    columns = min(panels, MOST_A_ROW)
    rows = -(-panels // MOST_A_ROW)
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    FigureCanvasAgg(figure)
    grid = list(figure.subplots(rows, columns, squeeze=False).flat)
    axes, spare = grid[:panels], grid[panels:]
    for panel in spare:
        panel.remove()
    for panel in axes:
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(True, alpha=0.25)
    return figure, axes


def add_legend(figure: Figure, panel: Any) -> None:
    """One legend for all panels, below them, where it covers no data."""
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=max(1, min(len(labels), 5)), fontsize=8)


def colours(names: Sequence[str]) -> dict[str, str]:
    """Assign one colour to each name, the same in every figure; beyond the palette from a colour map."""
    if len(names) <= len(COLOURS):
        return dict(zip(names, COLOURS, strict=False))
    steps = mpl.colormaps["turbo"].resampled(len(names))
    return {name: mpl.colors.to_hex(steps(number)) for number, name in enumerate(names)}


def save_figure(figure: Figure, folder: Path, name: str) -> str:
    """Write ``name.svg`` and ``name.png``; return the SVG's text for embedding."""
    # Same data, same bytes; text stays text.
    with mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        for kind, options in FORMATS.items():
            buffer = io.BytesIO()
            figure.savefig(buffer, format=kind, **options)
            write_bytes(folder / f"{name}.{kind}", buffer.getvalue())
            if kind == "svg":
                text = buffer.getvalue().decode("utf-8")
    return text[text.index("<svg") :]
