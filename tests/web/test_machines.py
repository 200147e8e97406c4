"""Machines: what is normal is learnt without torch, files are scored as by the library, the trend is kept."""

from __future__ import annotations

import subprocess
import sys
import time
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from handshift.healthmap.fit_shipped import fit_shipped
from handshift.healthmap.health_map import HealthMap, MapKind
from handshift.healthmap.simulate.faults import FaultKind
from handshift.healthmap.simulate.map_model import FaultSpec, MapModel
from handshift.healthmap.simulate.parameters import Condition, MapSimulation

NORMAL, WATCHED = 20, 4


def _maps() -> tuple[list[np.ndarray[Any, Any]], list[np.ndarray[Any, Any]]]:
    """Normal maps, and two more normal ones followed by two with a broken planet tooth."""
    model, rng = MapModel(MapSimulation.published(), 5), np.random.default_rng(5)
    normal = model.draw("A", Condition.WARM, NORMAL + 2, rng).maps
    fault = FaultSpec(FaultKind.PLANET, (1.5,), gain_shift=False, tooth=12)
    broken = model.draw("A", Condition.WARM, 2, rng, fault=fault).maps
    return list(normal[:NORMAL]), [*normal[NORMAL:], *broken]


def _npy(values: np.ndarray[Any, Any]) -> bytes:
    stream = BytesIO()
    np.save(stream, values.astype(np.float32))
    return stream.getvalue()


def _settled(client: TestClient, machine_id: int) -> dict[str, Any]:
    until = time.monotonic() + 180
    while time.monotonic() < until:
        machine: dict[str, Any] = client.get(f"/api/machines/{machine_id}").json()
        if all(job["state"] in {"done", "failed"} for job in machine["jobs"]):
            return machine
        time.sleep(0.1)
    raise TimeoutError("the machine is still at work")


def _add(client: TestClient, machine_id: int, maps: list[np.ndarray[Any, Any]], normal: bool) -> None:
    for number, values in enumerate(maps):
        files = {"files": (f"{'n' if normal else 'w'}{number:02d}.npy", _npy(values))}
        path = f"/api/machines/{machine_id}/files"
        assert client.post(path, params={"normal": normal}, files=files).status_code == 201


@pytest.fixture(scope="session")
def machine(client: TestClient) -> dict[str, Any]:
    """A machine with maps that were learnt and scored."""
    made = client.post("/api/machines", json={"name": "Mill 3"}).json()
    normal, watched = _maps()
    _add(client, made["id"], normal, True)
    _add(client, made["id"], watched, False)
    assert client.post(f"/api/machines/{made['id']}/learn").status_code == 202
    return _settled(client, made["id"])


def test_a_broken_tooth_is_flagged_and_named(machine: dict[str, Any]) -> None:
    points = machine["trend"]["points"]
    assert [point["flagged"] for point in points[2:]] == [True, True]
    assert [point["tooth"] for point in points[2:]] == ["row 13", "row 13"]
    assert max(point["index"] for point in points[:2]) < min(point["index"] for point in points[2:])
    assert machine["trend"]["tooth"] == "row 13"
    assert "rests on 5 normal maps" in machine["reference"]["cautions"][0]


def test_the_numbers_are_those_of_the_library(machine: dict[str, Any], tmp_path: Path) -> None:
    normal, watched = _maps()
    known = [HealthMap(values.astype(np.float32), MapKind.FLOAT, Path("n.npy")) for values in normal]
    model = fit_shipped({"machine": known}, tmp_path / "model")
    scores = [
        model.examine(HealthMap(values.astype(np.float32), MapKind.FLOAT, Path("w.npy")), "machine")
        for values in watched
    ]
    assert [point["flagged"] for point in machine["trend"]["points"]] == [one.flagged for one in scores]


def test_map_overlay_profiles_and_table_are_there(client: TestClient, machine: dict[str, Any]) -> None:
    last = machine["files"][-1]["id"]
    record = client.get(f"/api/machine-files/{last}").json()["record"]
    assert len(record["sensors"][0]["rows"]) == 31 and len(record["sensors"][0]["columns"]) == 95
    for kind in ("map", "overlay"):
        picture = client.get(f"/api/machine-files/{last}/0/{kind}.png")
        assert picture.status_code == 200 and picture.content.startswith(b"\x89PNG")
    assert client.get(f"/api/machine-files/{last}/1/map.png").status_code == 404
    table = client.get(f"/api/machines/{machine['id']}/scores.csv").text
    assert "w03.npy" in table and "row 13" in table


def test_a_recording_shows_its_spectrum(client: TestClient) -> None:
    from handshift.healthmap.simulate.simulate_signal import SignalSimulation, simulate_signal
    from handshift.healthmap.vibration.recording import recording_bytes

    gear = {"teeth": 31, "ring": 95, "planets": 3, "speed": 4}
    made = client.post("/api/machines", json={"name": "Gearbox", "gear": gear}).json()
    for number, seconds in enumerate((48.0, 9.0)):
        signal = simulate_signal(SignalSimulation(rate=3200, seconds=seconds, seed=number, resonance=1200))
        files = {"files": (f"r{number}.npz", recording_bytes(signal.signal, signal.rate, signal.tacho))}
        client.post(f"/api/machines/{made['id']}/files", params={"normal": number == 0}, files=files)
    client.post(f"/api/machines/{made['id']}/learn")
    machine = _settled(client, made["id"])
    assert [job["error"] for job in machine["jobs"]] == ["", ""]
    record = client.get(f"/api/machine-files/{machine['files'][-1]['id']}").json()["record"]
    spectrum = record["spectrum"]
    order = spectrum["order"]["places"][int(np.argmax(spectrum["order"]["amplitude"]))]
    # 95 mod 3 = 2: the planets are sequentially phased, and 96 is the strongest line near the mesh.
    assert spectrum["marks"]["mesh"][0] == 95 and order == pytest.approx(96, abs=1)


def test_a_tooth_that_strikes_every_turn_of_a_parallel_stage_is_flagged(client: TestClient) -> None:
    from handshift.healthmap.vibration.recording import recording_bytes

    rng, seconds = np.random.default_rng(0), np.arange(2000 * 9) / 2000
    gear = {"teeth": 20, "speed": 10, "turns": 8}
    made = client.post("/api/machines", json={"name": "Pinion", "gear": gear}).json()
    for number, loud in enumerate((0.0, 0.0, 3.0)):
        signal = np.cos(2 * np.pi * 200 * seconds) + 0.05 * rng.standard_normal(len(seconds))
        signal[np.flatnonzero(np.diff(np.floor(10 * seconds + 0.35))) + 1] += loud
        files = {"files": (f"p{number}.npz", recording_bytes(signal, 2000))}
        client.post(f"/api/machines/{made['id']}/files", params={"normal": number == 0}, files=files)
    client.post(f"/api/machines/{made['id']}/learn")
    points = _settled(client, made["id"])["trend"]["points"]
    assert points[1]["flagged"] and points[1]["index"] > 2 * max(1, points[0]["index"])


def test_a_file_that_is_no_recording_is_an_error_of_its_own(
    client: TestClient, machine: dict[str, Any]
) -> None:
    files = {"files": ("../notes<b>.csv", b"nothing to see")}
    (added,) = client.post(f"/api/machines/{machine['id']}/files", files=files).json()
    assert added["name"] == "notes<b>.csv"
    found = _settled(client, machine["id"])
    (point,) = [point for point in found["trend"]["points"] if point["file"] == added["id"]]
    assert point["error"] and "/" not in point["error"] and point["index"] is None
    assert client.delete(f"/api/machine-files/{added['id']}").status_code == 204


def test_too_few_normal_maps_are_refused_in_a_sentence(client: TestClient) -> None:
    made = client.post("/api/machines", json={"name": "new"}).json()
    assert client.post(f"/api/machines/{made['id']}/learn").status_code == 400
    _add(client, made["id"], _maps()[0][:3], True)
    client.post(f"/api/machines/{made['id']}/learn")
    (job,) = _settled(client, made["id"])["jobs"]
    assert job["state"] == "failed" and "too few" in job["error"]


def test_other_gear_data_mean_learning_again_and_a_machine_is_deleted_by_name(client: TestClient) -> None:
    made = client.post("/api/machines", json={"name": "old"}).json()
    path = f"/api/machines/{made['id']}"
    assert client.patch(path, json={"gear": {"teeth": 20}}).json()["gear"] == {"teeth": 20}
    assert client.patch(path, json={"gear": {"teeth": -1}}).status_code == 422
    _add(client, made["id"], [np.full((8, 9), number / 10) for number in range(2)], True)
    first, _ = client.get(path).json()["files"]
    assert client.delete(f"/api/machine-files/{first['id']}").status_code == 204
    assert client.delete(path).status_code == 400
    assert client.delete(path, params={"confirm": "old"}).status_code == 204
    *_, one, last = client.get("/api/log").json()
    assert (one["action"], last["action"]) == ("machine.file_removed", "machine.deleted")
    assert one["details"]["files_removed"] == last["details"]["files_removed"] == 1
    assert client.get("/api/log/verify").json()["intact"]


def test_nothing_of_it_needs_torch() -> None:
    code = "import sys, handshift.healthmap.fit_shipped, handshift.web.machine_compute; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.split()
    assert "handshift.web.machine_compute" in loaded and "torch" not in loaded
