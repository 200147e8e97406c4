"""The picture of a real gearbox's order bands, from results: ``python docs/gearbox_picture.py``."""

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


if __name__ == "__main__":
    stored = json.loads((ROOT / "results" / "gearbox.json").read_text(encoding="utf-8"))
    draw(stored, ROOT / "docs" / "images" / "gearbox.png")
