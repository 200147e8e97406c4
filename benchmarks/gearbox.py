"""A real gearbox with a broken tooth: AUROC by load and sensor, for several kinds of map and detector.

    python benchmarks/gearbox.py ../shared/data/gfd_gearbox [--out results/gearbox.json]

Every detector learns from the first half of healthy recordings and is tested on the second half of the
healthy and the broken one of each load, one map left out at the border. "same load": it learns from that load
alone; "load held out": from the nine others. Tooth maps begin at a random tooth, since no tachometer tells
the first.

Which map and detector to use is chosen by the mean of sensors a1 to a3 on maps of a single turn, load held
out; sensor a4, the hard one, takes no part in the choice. Intervals are of the mean over loads, by bootstrap
over maps. Units are those of `handshift maps train`: "domain" changes nothing for detectors that use
logarithms, "map" divides by the map's mean, "standard" needs maps of several turns. PatchCore on the shipped
encoder has the maps of ten turns alone, for its cost.

"supervised" is no detector but a reference: a linear discriminant that learns from broken recordings of
the nine other loads too. It says how alike the fault is from load to load.

There is one healthy and one broken assembly: assembly and fault cannot be separated by these recordings.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from gearbox_patchcore import EncodedPatchCore
from gearbox_references import band_statistics, supervised_scores
from result_file import Benchmark
from rich.console import Console
from rich.progress import track

from handshift.healthmap.baselines.mean_level import MeanLevel
from handshift.healthmap.baselines.pca import ShiftInvariantPca
from handshift.healthmap.baselines.row_column import RowColumn
from handshift.healthmap.baselines.row_covariance import RowCovariance
from handshift.healthmap.baselines.row_levels import RowLevels
from handshift.healthmap.standardisation import PICTURE_MEAN, PICTURE_SIGMA, standardise, usual_pixels
from handshift.healthmap.units import USUAL_LEVEL
from handshift.healthmap.vibration.build_dataset import parse_recording_name
from handshift.healthmap.vibration.map_maker import MapMaker, MapStyle
from handshift.healthmap.vibration.recording import read_recording
from handshift.metrics import auroc

RATE, TEETH, SPEED, SENSOR = 12_800, 32, 30, 2  # inferred from the mesh line; strongest at sensor a3
TURNS = (1, 5, 10)
DRAWS = 200


def two_sided_level(maps: Any) -> MeanLevel:
    """The trivial baseline: louder or quieter than usual."""
    return MeanLevel.fit(maps, two_sided=True)


ALL_UNITS = ("domain", "map", "standard")
DETECTORS: dict[str, tuple[MapStyle, Callable[[Any], Any], tuple[str, ...], tuple[int, ...]]] = {
    "teeth, mean level": (MapStyle.TEETH, two_sided_level, ("domain",), TURNS),
    "teeth, row/column": (MapStyle.TEETH, RowColumn.fit, ("standard",), TURNS),
    "teeth, shift-invariant PCA": (MapStyle.TEETH, ShiftInvariantPca.fit, ("map",), TURNS),
    "teeth, row levels": (MapStyle.TEETH, RowLevels.fit, ALL_UNITS, TURNS),
    "teeth, PatchCore": (MapStyle.TEETH, EncodedPatchCore.fit, ALL_UNITS, (10,)),
    "orders, mean level": (MapStyle.ORDERS, two_sided_level, ("domain",), TURNS),
    "orders, row/column": (MapStyle.ORDERS, RowColumn.fit, ("standard",), TURNS),
    "orders, shift-invariant PCA": (MapStyle.ORDERS, ShiftInvariantPca.fit, ("map",), TURNS),
    "orders, row levels": (MapStyle.ORDERS, RowLevels.fit, ALL_UNITS, TURNS),
    "orders, row covariance": (MapStyle.ORDERS, RowCovariance.fit, ALL_UNITS, TURNS),
    "orders, PatchCore": (MapStyle.ORDERS, EncodedPatchCore.fit, ALL_UNITS, (10,)),
}
"""Style of the maps, detector, units and turns; row/column standardises and the PCA divides by itself."""
SUPERVISED = "supervised"
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


def scored(fit: Callable[[Any], Any], loads: Halves, held_out: bool, unit: str) -> dict[str, list[Any]]:
    """By load, for each sensor: labels and scores."""
    found: dict[str, list[Any]] = {}
    for load, (train, healthy, broken) in loads.items():
        known = np.concatenate([loads[other][0] for other in loads if other != load]) if held_out else train
        labels = np.repeat([0, 1], [len(healthy), len(broken)])
        found[load] = []
        for sensor in range(train.shape[1]):
            tested = np.concatenate([healthy[:, sensor], broken[:, sensor]])
            learned, tested = in_unit(known[:, sensor], tested, unit)
            found[load].append((labels, fit(learned).scores(tested)))
    return found


def in_unit(learned: Any, tested: Any, unit: str) -> tuple[Any, Any]:
    """Maps to learn from and to test on, scaled as `MapScaling` does."""
    if unit == "map":
        return divided_by_level(learned), divided_by_level(tested)
    if unit == "standard":
        usual = usual_pixels(learned)
        return pictured(standardise(learned, usual)), pictured(standardise(tested, usual))
    return learned / learned.max(), tested / learned.max()


def divided_by_level(maps: Any) -> Any:
    return maps * (USUAL_LEVEL / maps.mean(axis=(1, 2), keepdims=True))


def pictured(z: Any) -> Any:
    """z-scores as an encoder sees them."""
    return PICTURE_MEAN + PICTURE_SIGMA * z


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


def rows_of(turns: int) -> list[tuple[str, str]]:
    """Detectors and units of the table of maps of so many turns; one column has no quartiles of its own."""
    return [
        (name, unit)
        for name, (_, _, units, lengths) in DETECTORS.items()
        for unit in units
        if turns in lengths and (unit != "standard" or turns > 1)
    ]


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    parser = benchmark.options
    parser.add_argument("folder", type=Path)
    options = benchmark.begin()
    maps = all_maps(options.folder)
    tables: dict[str, Any] = {}
    for protocol, held_out in (("same load", False), ("load held out", True)):
        for columns in TURNS:
            table = tables.setdefault(protocol, {}).setdefault(f"{columns} turns", {})
            for detector, unit in rows_of(columns):
                style, fit, *_ = DETECTORS[detector]
                name = f"{detector}, unit {unit}"
                table[name] = figures(scored(fit, maps[style, columns], held_out, unit))
                means = "  ".join(f"{sensor} {row['mean']:.3f}" for sensor, row in table[name].items())
                print(f"{protocol:14} {columns:3} turns  {name:44} {means}", flush=True)
            if held_out:
                orders = maps[MapStyle.ORDERS, columns]
                table[f"orders, {SUPERVISED}"] = figures(supervised_scores(orders))
    single = {name: row for name, row in tables["load held out"]["1 turns"].items() if SUPERVISED not in name}
    chosen = max(single, key=lambda name: sum(single[name][sensor]["mean"] for sensor in ("a1", "a2", "a3")))
    bands = band_statistics(maps[MapStyle.ORDERS, 10])
    benchmark.write({"chosen_on_a1_to_a3": chosen, "auroc": tables, "order_bands": bands})
    print(f"chosen on a1 to a3: {chosen}")
    for protocol, by_turns in tables.items():
        for columns, names in by_turns.items():
            mean, (low, high) = names[chosen]["a4"]["mean"], names[chosen]["a4"]["interval"]
            print(f"  a4, {protocol}, {columns}: {mean:.3f} ({low:.3f}–{high:.3f})")


if __name__ == "__main__":
    main()
