"""Pictures of a real gearbox's order bands and scores, from results: ``python docs/gearbox_picture.py``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
SENSORS = ("a3", "a4")


def draw(results: dict[str, Any], path: Path) -> None:
    """What the fault changes in each order band beside how healthy loads differ, of two sensors."""
    figure, axes = plt.subplots(2, 1, figsize=(9.2, 5.0), sharex=True, layout="constrained")
    for axis, sensor in zip(axes, SENSORS, strict=True):
        bands = {name: np.array(values) for name, values in results["order_bands"][sensor].items()}
        orders = np.arange(len(bands["fault"])) + 0.5
        spread = bands["loads"]
        axis.fill_between(orders, -spread, spread, color="0.8", label="healthy loads, ± standard deviation")
        axis.plot(
            orders, bands["fault"], color="tab:red", lw=1, label="broken minus healthy, mean over loads"
        )
        exceeded = np.mean(np.abs(bands["fault"]) > spread)
        axis.set_title(
            f"sensor {sensor}: the fault exceeds the spread of loads in {exceeded:.0%} of bands", fontsize=9
        )
        axis.set_ylabel("ln level", fontsize=8)
        axis.tick_params(labelsize=7)
    axes[0].legend(fontsize=8, loc="upper right")
    axes[1].set_xlabel("order band", fontsize=8)
    figure.savefig(path, dpi=110)


def draw_scores(results: dict[str, Any], path: Path) -> None:
    """Scores of sensor a4 by load that was held out: quartiles of healthy and of broken maps."""
    figure, axis = plt.subplots(figsize=(9.2, 3.2), layout="constrained")
    loads = results["scores_by_load"]
    colours = {"healthy": "0.35", "broken": "tab:red"}
    for number, quartiles in enumerate(loads.values()):
        for side, (name, colour) in enumerate(colours.items()):
            low, middle, high = quartiles[name]
            place, label = number + 0.24 * (side - 0.5), name if number == 0 else None
            axis.plot([place, place], [low, high], color=colour, lw=7, alpha=0.35, solid_capstyle="butt")
            axis.plot(place, middle, "o", color=colour, ms=5, label=label)
    axis.set_xticks(range(len(loads)), [f"{load.removeprefix('30hz')} %" for load in loads])
    axis.set_xlabel("load, held out", fontsize=8)
    axis.set_ylabel("score of ten turns / usual healthy score", fontsize=8)
    axis.tick_params(labelsize=7)
    axis.legend(fontsize=8)
    figure.savefig(path, dpi=110)


def _result(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "results" / f"{name}.json").read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    draw(_result("gearbox"), ROOT / "docs" / "images" / "gearbox.png")
    if (ROOT / "results" / "gearbox-attempts.json").is_file():
        draw_scores(_result("gearbox-attempts"), ROOT / "docs" / "images" / "gearbox-a4.png")
