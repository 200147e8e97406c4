"""The picture of simulated maps: ``python docs/healthmap_picture.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from handshift.healthmap.simulate.map_model import FaultSpec, MapModel
from handshift.healthmap.simulate.parameters import Condition, MapSimulation


def draw(path: Path) -> None:
    """Normal and faulty maps of domain C, cold above, warm below, one scale for each row."""
    model = MapModel(MapSimulation.published(), seed=0)
    rng = np.random.default_rng(3)
    figure, axes = plt.subplots(2, 2, figsize=(9.2, 3.9), layout="constrained")
    for row, condition in enumerate(Condition):
        normal = model.draw("C", condition, 1, rng)
        faulty = model.draw("C", condition, 1, rng, fault=FaultSpec(gain_shift=False))
        high = float(np.percentile(faulty.maps, 99.9))
        for axis, drawn, name in zip(axes[row], (normal, faulty), ("normal", "broken tooth"), strict=True):
            axis.imshow(
                drawn.maps[0], cmap="cividis", vmin=0, vmax=high, aspect="auto", interpolation="nearest"
            )
            axis.set_xlim(-0.5, 94.5)
            axis.set_title(f"{condition}, {name}", fontsize=9)
            axis.set_xlabel("ring tooth", fontsize=8)
            axis.set_ylabel("planet tooth", fontsize=8)
            axis.tick_params(labelsize=7)
        axes[row, 1].plot(96, faulty.teeth[0], "<", color="tab:red", clip_on=False)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    draw(Path(__file__).with_name("images") / "healthmaps.png")
