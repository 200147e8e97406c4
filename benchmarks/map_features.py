"""What cosines see of an encoder's features: why Dinomaly may lag PatchCore on the same small encoder.

    python benchmarks/map_features.py [--encoder dinov2] [--unit standard domain]

On the maps of studies/maps-standard.yaml: the mean cosine of two random patches of normal maps, with and
without the mean feature; then the nearest neighbour in a coreset (PatchCore) among features as they are,
divided by their norms (for unit vectors ‖a − b‖² = 2(1 − cos), so this is what a cosine sees), and centred
before they are divided. No network is trained: what is lost by the norms is lost to the cosine, and what
centring wins back `maps train --centred` may win. Features are kept as in studies ($HANDSHIFT_CACHE);
finished pieces are in --state.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from domain_means import domain_means
from journalled_pieces import add, rows
from numpy.typing import NDArray
from result_file import Benchmark

from handshift.healthmap.baselines import PatchCore
from handshift.healthmap.scoring import Scoring
from handshift.study.tasks.maps_data import MapsData, prepare, prepare_maps

Features = NDArray[np.float32]
"""(maps, groups, patches, width)."""
TRAIN, TEST, GEARBOX = 320, 200, 7
PAIRS = 100_000


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    benchmark.options.add_argument(
        "--encoder", type=Path, help="folder of a ViT; the shipped one if not given"
    )
    benchmark.options.add_argument("--unit", nargs="+", default=["standard", "domain"])
    benchmark.options.add_argument("--seed", type=int, default=42)
    benchmark.options.add_argument("--state", type=Path, default=Path("runs/map-features.jsonl"))
    given = benchmark.begin()
    torch.set_num_threads(1)
    given.state.parent.mkdir(parents=True, exist_ok=True)
    found: dict[str, Any] = {}
    for encoder in dict.fromkeys((None, given.encoder)):
        for unit in given.unit:
            name = f"{'maps-1' if encoder is None else 'DINOv2-derived ViT-S/14'}, unit {unit}"
            data = MapsData(
                train=TRAIN, test=TEST, seed=GEARBOX, unit=unit, encoder=str(encoder) if encoder else None
            )
            key = [name, benchmark.origin.commit, data.fingerprint(), given.seed]
            kept = [row["figures"] for row in rows(given.state) if row["key"] == key]
            found[name] = kept[0] if kept else measured(data, given.seed)
            if not kept:
                add(given.state, {"key": key, "figures": found[name]})
            print(name, found[name], flush=True)
    benchmark.write({"features": found})


def measured(data: MapsData, seed: int) -> dict[str, Any]:
    """Cosines of random patches, and figures of PatchCore by what is done to the features.

    Args:
        data: Maps, encoder and unit.
        seed: Of the pairs and the coreset.

    Returns:
        Figures, means over domains.
    """
    encoded, items = prepare(data), prepare_maps(data).parts["test"]
    domains, labels = [item.domain for item in items], [item.label for item in items]
    train = np.asarray(encoded.features["train"], np.float32)
    centre = train.mean(axis=(0, 2), keepdims=True)
    treatments: dict[str, Callable[[Features], Features]] = {
        "as they are": lambda features: features,
        "divided by their norm": _unit,
        "centred, divided by their norm": lambda features: _unit(features - centre),
    }
    figures: dict[str, Any] = {
        "mean_cosine": mean_cosine(train, seed),
        "mean_cosine_centred": mean_cosine(train - centre, seed),
    }
    for name, treated in treatments.items():
        fitted = PatchCore.fit(treated(train), seed)
        test = treated(np.asarray(encoded.features["test"], np.float32))
        maps = Scoring().anomaly_maps(fitted.batched_distances(test), encoded.grid, encoded.resizing)
        figures[name] = domain_means(domains, labels, Scoring().scores(maps))
    return figures


def mean_cosine(features: Features, seed: int) -> list[float]:
    """Mean cosine of two random patches, by group."""
    random = np.random.default_rng(seed)
    found = []
    for group in range(features.shape[1]):
        patches = _unit(features[:, group].reshape(-1, features.shape[-1]))
        first, second = random.integers(len(patches), size=(2, PAIRS))
        found.append(round(float(np.einsum("nd,nd->n", patches[first], patches[second]).mean()), 4))
    return found


def _unit(features: Features) -> Features:
    return np.asarray(features / np.linalg.norm(features, axis=-1, keepdims=True), np.float32)


if __name__ == "__main__":
    main()
