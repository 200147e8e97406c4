"""What else was tried on the hard sensor of the real gearbox: other features of the same turns.

    python benchmarks/gearbox_attempts.py ../shared/data/gfd_gearbox

Halves and figures are those of gearbox.py with the load held out, and every kind of feature is judged by the
same Mahalanobis distance with shrunk covariance, fitted to the nine other loads. A broken tooth should

- make impacts: kurtosis of the envelope in twelve bands of 16 orders;
- modulate once a turn: amplitudes of the squared envelope at orders 1 to 10, in six bands of 32 orders, over
  its mean;
- raise sidebands 0.4 orders apart: bands of half an order of maps of several turns, instead of one order.

Beside them the order bands of gearbox.py, and their scores of healthy and broken maps of ten turns by load.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from gearbox import RATE, SENSOR, SPEED, TEETH, TURNS, Halves, figures, halves, scored
from result_file import Benchmark
from rich.console import Console
from rich.progress import track

from handshift.healthmap.baselines.row_covariance import RowCovariance
from handshift.healthmap.vibration.build_dataset import parse_recording_name
from handshift.healthmap.vibration.map_maker import MapMaker, MapStyle
from handshift.healthmap.vibration.recording import read_recording

ORDERS = 192
"""Below 0.45 of the sampling rate."""
MODULATIONS = 10
HARD = 3
"""Number of sensor a4, from 0."""
QUARTILES = (25, 50, 75)


def envelopes(turns: Any, width: int) -> Any:
    """Squared envelopes in bands of ``width`` orders, (maps, turns, samples, sensors) → (bands, the same)."""
    spectrum = np.fft.rfft(turns, axis=2)
    found = []
    for first in range(1, ORDERS, width):
        band = np.zeros((*turns.shape[:2], turns.shape[2], turns.shape[3]), complex)
        band[:, :, first : first + width] = spectrum[:, :, first : first + width]
        found.append(np.abs(np.fft.ifft(band, axis=2)) ** 2)
    return np.stack(found)


def kurtosis(turns: Any) -> Any:
    """E e²/(E e)² of the squared envelopes e in twelve bands: (maps, sensors, 12, 1)."""
    squares = envelopes(turns, 16)
    return as_rows((squares**2).mean(axis=(2, 3)) / squares.mean(axis=(2, 3)) ** 2)


def modulation(turns: Any) -> Any:
    """Spectra of the squared envelopes at orders 1 to 10 over their mean: (maps, sensors, 60, 1)."""
    lines = np.abs(np.fft.rfft(envelopes(turns, 32), axis=3))  # (bands, maps, turns, orders, sensors)
    power = np.sqrt((lines**2).mean(axis=2))
    shares = power[:, :, 1 : MODULATIONS + 1] / power[:, :, :1]
    return as_rows(shares.transpose(0, 2, 1, 3).reshape(-1, shares.shape[1], shares.shape[3]))


def half_orders(turns: Any) -> Any:
    """Levels of bands of half an order, by one spectrum of the whole map: (maps, sensors, bands, 1)."""
    maps, count, samples, sensors = turns.shape
    joined = turns.reshape(maps, count * samples, sensors) * np.hanning(count * samples)[:, None]
    power = np.abs(np.fft.rfft(joined, axis=1)[:, count : count * (ORDERS + 1)]) ** 2
    width = max(1, count // 2)
    bands = power.shape[1] // width
    levels = power[:, : bands * width].reshape(maps, bands, width, sensors).mean(axis=2)
    return as_rows(np.sqrt(levels).transpose(1, 0, 2))


def as_rows(values: Any) -> Any:
    """(features, maps, sensors) → maps of one column, (maps, sensors, features, 1)."""
    return values.transpose(1, 2, 0)[..., None]


ATTEMPTS: dict[str, tuple[Callable[[Any], Any], tuple[int, ...]]] = {
    "kurtosis in bands": (kurtosis, TURNS),
    "modulation in bands": (modulation, TURNS),
    "bands of half an order": (half_orders, TURNS[1:]),
}
"""Features and the turns they need."""


def all_features(folder: Path) -> dict[tuple[str, int], Halves]:
    """Follow every shaft once, and describe its turns in every way."""
    found: dict[tuple[str, int], dict[str, dict[bool, Any]]] = {}
    for path in track(sorted(folder.glob("*.npz")), "recordings", console=Console(stderr=True)):
        recording = read_recording(path, RATE)
        one = parse_recording_name(path)
        turns = MapMaker(TEETH, SPEED, sensor=SENSOR).angular_signal(recording)
        for count in TURNS:
            maker = MapMaker(TEETH, SPEED, MapStyle.ORDERS, count, sensor=SENSOR)
            features = {"order bands": maker.layout(turns, recording)}
            whole = turns[: len(turns) // count * count].reshape(-1, count, *turns.shape[1:])
            features |= {name: make(whole) for name, (make, needed) in ATTEMPTS.items() if count in needed}
            for name, maps in features.items():
                found.setdefault((name, count), {}).setdefault(one.load, {})[one.faulty] = maps
    return {
        key: {load: halves(both[False], both[True]) for load, both in loads.items()}
        for key, loads in found.items()
    }


def scores_by_load(results: dict[str, list[Any]]) -> dict[str, dict[str, list[float]]]:
    """Quartiles of the hard sensor's scores by load, over the median healthy score of all loads."""
    pairs = {load: sensors[HARD] for load, sensors in sorted(results.items())}
    usual = np.median(np.concatenate([scores[labels == 0] for labels, scores in pairs.values()]))
    return {
        load: {
            name: np.round(np.percentile(scores[labels == label] / usual, QUARTILES), 3).tolist()
            for label, name in enumerate(("healthy", "broken"))
        }
        for load, (labels, scores) in pairs.items()
    }


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    benchmark.options.add_argument("folder", type=Path)
    given = benchmark.begin()
    found: dict[str, Any] = {}
    for (name, count), loads in all_features(given.folder).items():
        results = scored(RowCovariance.fit, loads, True, "domain")
        found.setdefault(name, {})[f"{count} turns"] = figures(results)
        if (name, count) == ("order bands", max(TURNS)):
            by_load = scores_by_load(results)
    benchmark.write({"auroc": found, "scores_by_load": by_load})


if __name__ == "__main__":
    main()
