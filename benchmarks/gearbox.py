"""A real gearbox with a broken tooth: AUROC by load and sensor, for several kinds of map and detector.

    python benchmarks/gearbox.py ../shared/data/gfd_gearbox [--out results/gearbox.json]

Every detector learns from the first half of healthy recordings and is tested on the second half of the
healthy and the broken one of each load, one map left out at the border. "same load": it learns from that load
alone; "load held out": from the nine others. Tooth maps begin at a random tooth, since no tachometer tells
the first.

Which map and detector to use is chosen by the mean of sensors a1 to a3 on maps of a single turn; sensor a4,
the hard one, takes no part in the choice. Intervals are of the mean over loads, by bootstrap over maps.

There is one healthy and one broken assembly: assembly and fault cannot be separated by these recordings.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from result_file import Benchmark
from rich.console import Console
from rich.progress import track

from handshift.healthmap.baselines.mean_level import MeanLevel
from handshift.healthmap.baselines.pca import ShiftInvariantPca
from handshift.healthmap.baselines.row_column import RowColumn
from handshift.healthmap.baselines.row_covariance import RowCovariance
from handshift.healthmap.baselines.row_levels import RowLevels
from handshift.healthmap.vibration.build_dataset import parse_recording_name
from handshift.healthmap.vibration.map_maker import MapMaker, MapStyle
from handshift.healthmap.vibration.recording import read_recording
from handshift.metrics import auroc

RATE, TEETH, SPEED, SENSOR = 12_800, 32, 30, 2  # inferred from the mesh line; strongest at sensor a3
TURNS = (1, 5, 10)
DRAWS = 200
DETECTORS: dict[str, tuple[MapStyle, Callable[[Any], Any]]] = {
    "teeth, mean level": (MapStyle.TEETH, lambda maps: MeanLevel.fit(maps, two_sided=True)),
    "teeth, row/column": (MapStyle.TEETH, RowColumn.fit),
    "teeth, shift-invariant PCA": (MapStyle.TEETH, ShiftInvariantPca.fit),
    "orders, mean level": (MapStyle.ORDERS, lambda maps: MeanLevel.fit(maps, two_sided=True)),
    "orders, shift-invariant PCA": (MapStyle.ORDERS, ShiftInvariantPca.fit),
    "orders, row levels": (MapStyle.ORDERS, RowLevels.fit),
    "orders, row covariance": (MapStyle.ORDERS, RowCovariance.fit),
}
Halves = dict[str, tuple[Any, Any, Any]]
"""By load: healthy maps to learn from, healthy and broken ones to test on, each (maps, sensors, H, W)."""


def all_maps(folder: Path) -> dict[tuple[MapStyle, int], Halves]:
    """Follow every shaft once, and lay the turns out in every way."""
    found: dict[tuple[MapStyle, int], dict[str, dict[bool, Any]]] = {}
    for path in track(sorted(folder.glob("*.npz")), "recordings", console=Console(stderr=True)):
        recording = read_recording(path, RATE)
        turns = MapMaker(TEETH, SPEED, sensor=SENSOR).angular_signal(recording)
        for style in MapStyle:
            for columns in TURNS:
                maker = MapMaker(TEETH, SPEED, style, columns, sensor=SENSOR)
                one = parse_recording_name(path)
                maps = maker.layout(turns, recording)
                found.setdefault((style, columns), {}).setdefault(one.load, {})[one.faulty] = maps
    return {
        key: {load: halves(both[False], both[True]) for load, both in loads.items()}
        for key, loads in found.items()
    }


def halves(healthy: Any, broken: Any) -> tuple[Any, Any, Any]:
    middle, other = len(healthy) // 2, len(broken) // 2
    return healthy[:middle], healthy[middle + 1 :], broken[other + 1 :]


def scored(fit: Callable[[Any], Any], loads: Halves, held_out: bool) -> dict[str, list[Any]]:
    """By load, for each sensor: labels and scores."""
    found: dict[str, list[Any]] = {}
    for load, (train, healthy, broken) in loads.items():
        known = np.concatenate([loads[other][0] for other in loads if other != load]) if held_out else train
        labels = np.repeat([0, 1], [len(healthy), len(broken)])
        found[load] = []
        for sensor in range(train.shape[1]):
            tested = np.concatenate([healthy[:, sensor], broken[:, sensor]])
            found[load].append((labels, fit(known[:, sensor]).scores(tested)))
    return found


def figures(results: dict[str, list[Any]]) -> dict[str, Any]:
    """AUROC of each load and sensor, and of each sensor the mean over loads with its interval."""
    rng = np.random.default_rng(0)
    table: dict[str, Any] = {}
    for sensor in range(4):
        pairs = {load: sensors[sensor] for load, sensors in sorted(results.items())}
        by_load = {load: round(auroc(*pair), 4) for load, pair in pairs.items()}
        drawn = [np.mean([redrawn(pair, rng) for pair in pairs.values()]) for _ in range(DRAWS)]
        low, high = np.percentile(drawn, (2.5, 97.5))
        mean = float(np.mean(list(by_load.values())))
        table[f"a{sensor + 1}"] = {
            "mean": round(mean, 4),
            "interval": [round(float(low), 4), round(float(high), 4)],
            "by_load": by_load,
        }
    return table


def redrawn(pair: tuple[Any, Any], rng: np.random.Generator) -> float:
    """AUROC of as many maps of each class, drawn with replacement, of labels and scores."""
    labels, scores = pair
    chosen = np.concatenate(
        [rng.choice(np.flatnonzero(labels == one), int((labels == one).sum())) for one in (0, 1)]
    )
    return auroc(labels[chosen], scores[chosen])


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    parser = benchmark.options
    parser.add_argument("folder", type=Path)
    options = benchmark.begin()
    maps = all_maps(options.folder)
    tables: dict[str, Any] = {}
    for protocol, held_out in (("same load", False), ("load held out", True)):
        for columns in TURNS:
            for name, (style, fit) in DETECTORS.items():
                found = figures(scored(fit, maps[style, columns], held_out))
                tables.setdefault(protocol, {}).setdefault(f"{columns} turns", {})[name] = found
                means = "  ".join(f"{sensor} {row['mean']:.3f}" for sensor, row in found.items())
                print(f"{protocol:14} {columns:3} turns  {name:28} {means}", flush=True)
    single = tables["same load"]["1 turns"]
    chosen = max(single, key=lambda name: sum(single[name][sensor]["mean"] for sensor in ("a1", "a2", "a3")))
    benchmark.write({"chosen_on_a1_to_a3": chosen, "auroc": tables})
    print(f"chosen on a1 to a3: {chosen}")
    for protocol, by_turns in tables.items():
        for columns, names in by_turns.items():
            mean, (low, high) = names[chosen]["a4"]["mean"], names[chosen]["a4"]["interval"]
            print(f"  a4, {protocol}, {columns}: {mean:.3f} ({low:.3f}–{high:.3f})")


if __name__ == "__main__":
    main()
