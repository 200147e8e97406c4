"""What the server computes for machines: learn normal maps, score files, draw them, simulate a machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.core.errors import HandshiftError
from handshift.web.file_store import FileStore

Send = Callable[[dict[str, Any]], None]
SPECTRUM_POINTS = 900
"""Of a drawn spectrum: the largest amplitude of each stretch is kept, so that no line is lost."""
SENSOR = "machine-a{}"
MAPS = "machine"


@dataclass(frozen=True)
class MachineSource:
    """Where a file of a machine lies and how it is read."""

    path: str
    name: str
    gear: dict[str, Any]
    """Fields of `MachineGear`."""


class MachineComputer:
    """Answers requests about machines.

    Args:
        store: Folder of the file store, into which pictures are written.
    """

    def __init__(self, store: Path) -> None:
        self._store = FileStore(store)
        self._loaded = lru_cache(maxsize=4)(_load_model)

    def learn(self, sources: Sequence[MachineSource], out: str, target: float, send: Send) -> dict[str, Any]:
        """Fit the detector to the normal files of a machine.

        Args:
            sources: Normal files, in order of time.
            out: Folder for the model.
            target: Share of normal maps that may be flagged.
            send: Receives ``{"done": files read}``.

        Returns:
            What was learnt: maps by sensor, thresholds, cautions and colour scales.
        """
        from handshift.healthmap.default_unit import TURN_BY_TURN
        from handshift.healthmap.fit_shipped import fit_shipped
        from handshift.healthmap.health_map import HealthMap
        from handshift.healthmap.report.map_cards import colour_scales
        from handshift.healthmap.vibration.described_maker import gear_stage

        maps: dict[str, list[HealthMap]] = {}
        failures = []
        for done, source in enumerate(sources, 1):
            try:
                for domain, own in _maps(source).items():
                    maps.setdefault(domain, []).extend(own)
            except HandshiftError as error:
                failures.append({"name": source.name, "error": _reason(error)})
            send({"done": done})
        if not maps:
            raise HandshiftError(failures[0]["error"] if failures else "there are no normal files to learn")
        if MAPS in maps and len(maps) > 1:
            raise HandshiftError("maps and recordings are mixed; give the normal files of one kind")
        # Columns of a parallel stage are turns: a broken tooth raises its whole row, not part of it.
        parallel = MAPS not in maps and isinstance(gear_stage(_gear(sources[0])[0]), int)
        model = fit_shipped(maps, Path(out), target, TURN_BY_TURN if parallel else "standard")
        self._loaded.cache_clear()
        scored = [model.examine(map_, domain) for domain, own in maps.items() for map_ in own[::4]]
        values, (_, most) = colour_scales(scored)
        thresholds = model.metadata.thresholds
        return {
            "detector": model.metadata.detector,
            "encoder": model.metadata.encoder,
            "maps": {domain: len(own) for domain, own in maps.items()},
            "held_out": thresholds.counts,
            "target": target,
            "guaranteed": {domain: thresholds.guaranteed(domain) for domain in maps},
            "cautions": [str(weak) for weak in thresholds.weak()],
            "values": list(values),
            # From what a normal map shows at most, to twice the threshold: a normal map stays grey.
            "anomaly": [most, max(1.6 * thresholds.overall, 1.01 * most)],
            "failures": failures,
        }

    def score(self, source: MachineSource, model: str, reference: dict[str, Any]) -> dict[str, Any]:
        """Score one file and draw it.

        Args:
            source: The file.
            model: Folder of the machine's model.
            reference: What `learn` returned: colour scales.

        Returns:
            The file's record: health index, and for every sensor its score, map, overlay and profiles.
        """
        from handshift.healthmap.file_kind import is_map_file
        from handshift.healthmap.health_map import read_map
        from handshift.healthmap.vibration.described_maker import described_maker
        from handshift.healthmap.watch.observer import Observer, highest

        path = Path(source.path)
        loaded = self._loaded(model, Path(model, "model.json").stat().st_mtime_ns)
        if is_map_file(path):
            observed = [Observer(loaded).index(read_map(path), MAPS)]
            spectrum = None
        else:
            gear, turns, _ = _gear(source)
            maker = described_maker(gear, turns=turns)
            recording = _recording(source)
            observed = Observer(loaded, maker=maker).observe_recording(recording)
            spectrum = _spectra(recording, maker)
        worst = highest(observed)
        return {
            "kind": "map" if spectrum is None else "recording",
            "index": worst.index,
            "flagged": worst.scored.flagged,
            "tooth": worst.tooth_name if worst.scored.flagged else None,
            "worst": observed.index(worst),
            "sensors": [self._sensor(one, reference) for one in observed],
            "spectrum": spectrum,
        }

    def _sensor(self, observed: Any, reference: dict[str, Any]) -> dict[str, Any]:
        from handshift.healthmap.report.map_cards import map_picture, overlay_picture
        from handshift.healthmap.which_tooth import which_tooth

        scored = observed.scored.downsampled()
        low, high = reference["values"]
        heat = tuple(reference["anomaly"])
        profile = which_tooth(scored.anomaly, None if scored.photograph else scored.values)
        return {
            "domain": observed.domain,
            "index": observed.index,
            "score": scored.score,
            "threshold": scored.threshold,
            "flagged": scored.flagged,
            "tooth": observed.tooth_name,
            "warning": scored.warning,
            "size": list(scored.anomaly.shape),
            "rows": [round(float(z), 2) for z in profile.rows],
            "columns": [round(float(z), 2) for z in profile.columns],
            "map": self._store.add(_png(map_picture(scored.values, low, high))),
            "overlay": self._store.add(_png(overlay_picture(scored.values, scored.anomaly, low, high, heat))),
        }

    def simulate(self, seed: int, send: Send) -> dict[str, Any]:
        """Simulate a machine whose planet tooth breaks slowly; each recording is sent as it is finished.

        Args:
            seed: Of all recordings.
            send: Receives ``{"file": {name, sha256, bytes, normal}}``.

        Returns:
            ``{"files": how many}``.
        """
        from handshift.web.demo_machine import demo_recordings

        files = 0
        for name, content, normal in demo_recordings(seed):
            digest = self._store.add(content)
            send({"file": {"name": name, "sha256": digest, "bytes": len(content), "normal": normal}})
            files += 1
        return {"files": files}


def _load_model(folder: str, _: int) -> Any:
    from handshift.healthmap.trained_model import TrainedModel

    return TrainedModel.load(folder)


def _maps(source: MachineSource) -> dict[str, list[Any]]:
    """Maps of a file by domain: one domain a sensor for recordings."""
    from handshift.healthmap.file_kind import is_map_file
    from handshift.healthmap.health_map import HealthMap, MapKind, read_map
    from handshift.healthmap.vibration.described_maker import described_maker

    path = Path(source.path)
    if is_map_file(path):
        return {MAPS: [read_map(path)]}
    gear, turns, _ = _gear(source)
    made = described_maker(gear, turns=turns).maps(_recording(source))  # (maps, sensors, rows, columns)
    return {
        SENSOR.format(sensor + 1): [
            HealthMap(one.astype(np.float32), MapKind.FLOAT, path) for one in made[:, sensor]
        ]
        for sensor in range(made.shape[1])
    }


def _gear(source: MachineSource) -> tuple[Any, int, float | None]:
    from handshift.healthmap.vibration.description import Gear

    fields = dict(source.gear)
    turns, rate = int(fields.pop("turns", None) or 10), fields.pop("sample_rate", None)
    ring = fields.pop("ring", None)
    teeth = fields.pop("teeth", None)
    return Gear(teeth=(teeth, ring) if teeth and ring else teeth, **fields), turns, rate


def _recording(source: MachineSource) -> Any:
    from dataclasses import replace

    from handshift.healthmap.vibration.recording import read_recording

    # The start tooth of a recording without tachometer is drawn by its name, which the store does not keep.
    return replace(read_recording(source.path, _gear(source)[2]), path=Path(source.name))


def _spectra(recording: Any, maker: Any) -> dict[str, Any]:
    from handshift.healthmap.vibration.spectrum import frequency_spectrum, marked_orders, order_spectrum

    marks = marked_orders(maker)
    highest = 1.1 * max(place for places in marks.values() for place in places)
    return {
        "sensor": maker.sensor + 1,
        "speed": maker.speed,
        "marks": marks,
        "frequency": _thinned(frequency_spectrum(recording, maker.sensor), highest * maker.speed),
        "order": _thinned(order_spectrum(recording, maker, maker.sensor), highest),
    }


def _thinned(spectrum: Any, highest: float) -> dict[str, list[float]]:
    shown = spectrum.places <= highest
    places, amplitude = spectrum.places[shown], spectrum.amplitude[shown]
    if not len(places):
        return {"places": [], "amplitude": []}
    starts = np.unique(np.linspace(0, len(places), SPECTRUM_POINTS, endpoint=False).astype(int))
    peaks = np.maximum.reduceat(amplitude, starts)
    return {
        "places": [float(f"{place:.5g}") for place in places[starts]],
        "amplitude": [float(f"{size:.4g}") for size in peaks],
    }


def _png(rgb: NDArray[np.uint8]) -> bytes:
    return bytes(cv2.imencode(".png", rgb[:, :, ::-1])[1].tobytes())


def _reason(error: Exception) -> str:
    return getattr(error, "problem", None) or str(error) or type(error).__name__
