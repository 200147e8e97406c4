"""Figure of a recording: spectrum and order spectrum with mesh, sidebands and bearing lines marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from handshift.core.figure import COLOURS, add_legend, new_figure, save_figure
from handshift.healthmap.vibration.spectrum import Spectrum

SHOWN = 1.1
"""Range of the order axis, in multiples of the largest marked order."""


def spectrum_figure(
    frequency: Spectrum, order: Spectrum, marks: Mapping[str, Sequence[float]], speed: float, path: Path
) -> None:
    """Draw both spectra and write ``path`` as .svg and .png.

    Args:
        frequency: In hertz.
        order: In orders of the shaft.
        marks: Orders to mark, by name.
        speed: Mean turns per second, which places the marks on the frequency axis.
        path: Without or with suffix; both files are written beside each other.
    """
    figure, panels = new_figure(2, width=7.0)
    top = SHOWN * max(place for places in marks.values() for place in places)
    for panel, spectrum, scale, label in (
        (panels[0], frequency, speed, "frequency in Hz"),
        (panels[1], order, 1.0, "order of the shaft"),
    ):
        near = spectrum.places <= top * scale
        panel.semilogy(
            spectrum.places[near], np.maximum(spectrum.amplitude[near], 1e-12), lw=0.6, color="#555555"
        )
        _mark(panel, marks, scale)
        panel.set_xlabel(label)
        panel.set_ylabel("amplitude")
    add_legend(figure, panels[1])
    save_figure(figure, path.parent, path.stem)


def _mark(panel: Any, marks: Mapping[str, Sequence[float]], scale: float) -> None:
    for number, (name, places) in enumerate(marks.items()):
        style = ":" if name == "sidebands" else "--"
        for at, place in enumerate(places):
            label = name if at == 0 else None
            colour = COLOURS[number % len(COLOURS)]
            panel.axvline(place * scale, ls=style, lw=0.8, color=colour, label=label, zorder=0)
