"""The ten attention weights of the source's bags: how even they are on one hand, how uneven on two.

Uses the detectors that `handshift study run studies/detect-source.yaml` has trained, and its test bags.

Example: HANDSHIFT_VECTORS=runs/vectors python benchmarks/source_attention.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from result_file import Benchmark

from handshift.bag.bagset import BagSet
from handshift.core.arrays import Vectors
from handshift.corpus.split import WriterSplit
from handshift.detect.train.instance_attention import instances_replaced
from handshift.metrics import auroc
from handshift.study.spec import load_spec
from handshift.study.tasks.detect_source import source_test_bags
from handshift.study.tasks.detectors import DetectorConfig, table_of, trained

STUDY, SHOWN = Path("studies/detect-source.yaml"), 3


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    benchmark.options.add_argument("--study", type=Path, default=STUDY)
    options = benchmark.begin()
    spec = load_spec(options.study)
    config = DetectorConfig(**{**spec.base, "detector": "ab-mil"})
    table, split = table_of(config.folder), WriterSplit.load(config.split)
    seeds: list[dict[str, Any]] = []
    bags_shown: list[dict[str, Any]] = []
    for seed in spec.seeds:
        detector = trained(config, "ab-mil", seed)
        bags = source_test_bags(table, split.parts[config.part], seed)
        weights = detector.attention(table.vectors[bags.rows.reshape(len(bags), -1)])
        seeds.append({"seed": seed, **figures(bags, weights)})
        if not bags_shown:
            bags_shown = shown(bags, weights)
    benchmark.write({"part": config.part, "seeds": seeds, "shown": bags_shown})


def figures(bags: BagSet, weights: Vectors) -> dict[str, Any]:
    """Smallest and largest weight of a bag, the range that holds 90 % of all weights, by kind of bag."""
    replaced = instances_replaced(bags)
    kinds = {"one hand": ~bags.label, "mixed": bags.label}
    kinds |= {
        f"mixed {share:.0%}": bags.label & (bags.share == share)
        for share in np.unique(bags.share[bags.label])
    }
    found: dict[str, Any] = {}
    for name, own in kinds.items():
        low, high = np.percentile(weights[own], (5, 95))
        found[name] = {
            "bags": int(own.sum()),
            "smallest": round(float(weights[own].min(axis=1).mean()), 4),
            "largest": round(float(weights[own].max(axis=1).mean()), 4),
            "range_90": [round(float(low), 4), round(float(high), 4)],
        }
        if bags.label[own].all():
            each = [auroc(replaced[bag], weights[bag]) for bag in np.flatnonzero(own)]
            found[name]["auc_of_replaced"] = round(float(np.mean(each)), 4)
    return found


def shown(bags: BagSet, weights: Vectors) -> list[dict[str, Any]]:
    """Some bags of each class for the figure; the mixed ones of the largest share."""
    most = bags.share == bags.share.max()
    chosen = [*np.flatnonzero(~bags.label)[:SHOWN], *np.flatnonzero(bags.label & most)[:SHOWN]]
    replaced = instances_replaced(bags)
    return [
        {
            "mixed": bool(bags.label[bag]),
            "share": float(bags.share[bag]),
            "attention": [round(float(weight), 4) for weight in weights[bag]],
            "replaced": [int(other) for other in replaced[bag]],
        }
        for bag in chosen
    ]


if __name__ == "__main__":
    main()
