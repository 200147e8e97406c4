"""The simulated maps beside what is published, and what the detectors without a network reach on them.

    python benchmarks/simulated_maps.py [--maps 400] [--seed 0] [--out results/simulated-maps.json]

By domain and condition: statistics of normal maps, AUROC of the largest pixel, the mean level and the row and
column statistic with and without the gain shift of the fault run, and how often the broken planet tooth is
named on maps divided by what is usual. Detectors learn from a training run; test normals lie below it.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from result_file import Benchmark

from handshift.healthmap.baselines.mean_level import MeanLevel
from handshift.healthmap.baselines.row_column import RowColumn
from handshift.healthmap.simulate.map_model import FaultSpec, MapModel
from handshift.healthmap.simulate.parameters import Condition, MapSimulation
from handshift.healthmap.which_tooth import Axis, which_tooth
from handshift.metrics import auroc

PUBLISHED = {
    "C cold": {"mean": 0.190, "std": 0.046, "p95": 0.277, "max": 0.487, "fault_max": 0.596},
    "C warm": {"mean": 0.265, "std": 0.075, "p95": 0.405, "max": 0.748, "fault_max": 1.91},
    "training": {"A": [0.248, 0.084], "B": [0.252, 0.084], "C": [0.246, 0.072], "D": [0.218, 0.082]},
    "C cold, AUROC": {"largest pixel": 0.76, "mean level": 0.87},
    "C warm, AUROC": {"largest pixel": 1.00},
}


def statistics(maps: Any) -> dict[str, float]:
    """Means over maps of what each map tells of itself."""
    found = {
        "mean": maps.mean(),
        "std": maps.std(axis=(1, 2)).mean(),
        "p95": np.percentile(maps, 95, axis=(1, 2)).mean(),
        "max": maps.max(axis=(1, 2)).mean(),
    }
    return {name: round(float(value), 4) for name, value in found.items()}


def tooth_naming_rates(maps: Any, teeth: Any, usual: Any) -> dict[str, float]:
    """Share of maps whose broken tooth is named, of those with another one named, and of those with none."""
    found = [which_tooth(map_ / np.exp(usual)).tooth for map_ in maps]
    right = [
        tooth is not None and tooth.axis is Axis.ROW and tooth.number == wanted
        for tooth, wanted in zip(found, teeth, strict=True)
    ]
    none = [tooth is None for tooth in found]
    shares = {"right": np.mean(right), "none": np.mean(none), "wrong": 1 - np.mean(right) - np.mean(none)}
    return {name: round(float(share), 3) for name, share in shares.items()}


def measured(model: MapModel, domain: str, condition: Condition, count: int, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng([seed, ord(domain), len(condition), condition == Condition.COLD])
    train = model.draw(domain, condition, count, rng, training=True).maps
    normal = model.draw(domain, condition, count, rng).maps
    detector, level = RowColumn.fit(train), MeanLevel.fit(train)
    scores = {
        "largest pixel": lambda maps: maps.max(axis=(1, 2)),
        "mean level": level.scores,
        "row/column": detector.scores,
    }
    record: dict[str, Any] = {"normal": statistics(normal)}
    for shift in (True, False):
        faulty = model.draw(domain, condition, count, rng, fault=FaultSpec(gain_shift=shift))
        labels = np.repeat([0, 1], count)
        figures = {
            name: round(auroc(labels, np.concatenate([score(normal), score(faulty.maps)])), 4)
            for name, score in scores.items()
        }
        record["gain shift" if shift else "no gain shift"] = figures
        if shift:
            record["fault_max"] = statistics(faulty.maps)["max"]
        else:
            record["tooth"] = tooth_naming_rates(faulty.maps, faulty.teeth, detector.usual)
    record["tooth named on normal maps"] = round(
        1 - tooth_naming_rates(normal, np.zeros(count), detector.usual)["none"], 3
    )
    return record


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    parser = benchmark.options
    parser.add_argument("--maps", type=int, default=400, help="of each class, domain and condition")
    parser.add_argument("--seed", type=int, default=0)
    options = benchmark.begin()
    model = MapModel(MapSimulation.published(), options.seed)
    results: dict[str, Any] = {}
    training: dict[str, Any] = {}
    for domain in "ABCD":
        rng = np.random.default_rng([options.seed, ord(domain)])
        runs = [model.draw(domain, one, options.maps, rng, training=True).maps for one in Condition]
        both = np.concatenate(runs)
        figures = {"mean": both.mean(), "std": both.std(), "largest": both.max()}
        training[domain] = {name: round(float(value), 4) for name, value in figures.items()}
        for condition in Condition:
            name = f"{domain} {condition}"
            results[name] = measured(model, domain, condition, options.maps, options.seed)
            print(name, json.dumps(results[name]), flush=True)
    record = {
        "maps": options.maps,
        "seed": options.seed,
        "published": PUBLISHED,
        "training": training,
        "domains": results,
    }
    benchmark.write(record)


if __name__ == "__main__":
    main()
