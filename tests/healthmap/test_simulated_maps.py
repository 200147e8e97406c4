"""The simulated maps against what is published of the real ones."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError
from typer.testing import CliRunner

from handshift.cli.maps import app
from handshift.core.errors import MapError
from handshift.healthmap.dataset import read_dataset
from handshift.healthmap.health_map import read_map
from handshift.healthmap.planetary_stage import PlanetaryStage
from handshift.healthmap.simulate.faults import FaultKind
from handshift.healthmap.simulate.map_model import FaultSpec, MapModel
from handshift.healthmap.simulate.parameters import Condition, MapSimulation
from handshift.metrics import auroc

COUNT = 400
Maps = NDArray[np.float32]


@pytest.fixture(scope="module")
def model() -> MapModel:
    return MapModel(MapSimulation.published(), seed=0)


def draw(model: MapModel, domain: str, condition: Condition, **how: object) -> Maps:
    return model.draw(domain, condition, COUNT, np.random.default_rng(len(how)), **how).maps  # type: ignore[arg-type]


def separates(normal: Maps, faulty: Maps, score: Callable[[Maps], Any]) -> float:
    labels = np.repeat([0, 1], [len(normal), len(faulty)])
    return auroc(labels, np.concatenate([score(normal), score(faulty)]))


def largest(maps: Maps) -> Maps:
    return maps.max(axis=(1, 2))


def level(maps: Maps) -> Maps:
    return maps.mean(axis=(1, 2))


@pytest.mark.parametrize(
    ("condition", "published"),
    [(Condition.COLD, (0.190, 0.046, 0.277, 0.487)), (Condition.WARM, (0.265, 0.075, 0.405, 0.748))],
)
def test_domain_c_has_the_published_mean_spread_and_tail(
    model: MapModel, condition: Condition, published: tuple[float, ...]
) -> None:
    maps = draw(model, "C", condition)
    found = (
        maps.mean(),
        maps.std(axis=(1, 2)).mean(),
        np.percentile(maps, 95, axis=(1, 2)).mean(),
        largest(maps).mean(),
    )
    assert found == pytest.approx(published, rel=0.08)


@pytest.mark.parametrize(
    ("domain", "mean", "std"),
    [("A", 0.248, 0.084), ("B", 0.252, 0.084), ("C", 0.246, 0.072), ("D", 0.218, 0.082)],
)
def test_every_domain_has_the_published_training_mean_and_spread(
    model: MapModel, domain: str, mean: float, std: float
) -> None:
    maps = np.concatenate([draw(model, domain, condition, training=True) for condition in Condition])
    assert maps.mean() == pytest.approx(mean, rel=0.03)
    assert maps.std() == pytest.approx(std, abs=0.011)
    test = np.concatenate([draw(model, domain, condition) for condition in Condition])
    assert 0.065 <= 1 - test.mean() / maps.mean() <= 0.125


def test_the_largest_pixel_is_weak_in_c_cold_and_enough_in_c_warm(model: MapModel) -> None:
    fault = FaultSpec()
    cold = separates(draw(model, "C", Condition.COLD), draw(model, "C", Condition.COLD, fault=fault), largest)
    warm = separates(draw(model, "C", Condition.WARM), draw(model, "C", Condition.WARM, fault=fault), largest)
    assert cold == pytest.approx(0.76, abs=0.05)
    assert warm > 0.995


@pytest.mark.parametrize(("condition", "published"), [(Condition.COLD, 0.596), (Condition.WARM, 1.91)])
def test_faulty_maps_of_c_reach_the_published_maximum(
    model: MapModel, condition: Condition, published: float
) -> None:
    assert largest(draw(model, "C", condition, fault=FaultSpec())).mean() == pytest.approx(published, rel=0.1)


def test_the_mean_level_betrays_the_run_and_not_the_fault(model: MapModel) -> None:
    normal = draw(model, "C", Condition.COLD)
    shifted = draw(model, "C", Condition.COLD, fault=FaultSpec())
    same = draw(model, "C", Condition.COLD, fault=FaultSpec(gain_shift=False))
    assert separates(normal, shifted, level) == pytest.approx(0.87, abs=0.03)
    assert separates(normal, same, level) == pytest.approx(0.5, abs=0.07)


@pytest.mark.parametrize(("domain", "shift"), [("A", 0.05), ("B", -0.15), ("C", 0.15), ("D", -0.08)])
def test_the_fault_run_is_louder_or_quieter_as_published(model: MapModel, domain: str, shift: float) -> None:
    normal = np.mean([draw(model, domain, condition).mean() for condition in Condition])
    faulty = np.mean([draw(model, domain, condition, fault=FaultSpec()).mean() for condition in Condition])
    assert faulty / normal - 1 == pytest.approx(shift, abs=0.03)


def test_columns_keep_their_pattern_from_map_to_map(model: MapModel) -> None:
    columns = np.log(draw(model, "C", Condition.COLD)).mean(axis=1)
    correlation = np.corrcoef(columns)[np.triu_indices(COUNT, 1)].mean()
    assert 0.7 < correlation < 0.9


@pytest.mark.parametrize(("kind", "axis"), [(FaultKind.PLANET, 2), (FaultKind.RING, 1)])
def test_planet_faults_are_rows_and_ring_faults_columns(model: MapModel, kind: FaultKind, axis: int) -> None:
    rng = np.random.default_rng(0)
    drawn = model.draw("A", Condition.WARM, 50, rng, fault=FaultSpec(kind, sizes=(4.0,)))
    found = drawn.maps.mean(axis=axis).argmax(axis=1)
    assert (found == drawn.teeth).mean() > 0.95
    assert drawn.masks.any(axis=(1, 2)).all()


def test_a_sun_fault_is_a_piece_of_a_row_for_each_planet(model: MapModel) -> None:
    rng = np.random.default_rng(0)
    drawn = model.draw("A", Condition.WARM, 50, rng, fault=FaultSpec(FaultKind.SUN, sizes=(6.0,)))
    loudest = np.argsort(drawn.maps.mean(axis=2), axis=1)[:, -3:]
    apart = {tuple(sorted((row - tooth) % 31)) for row, tooth in zip(loudest, drawn.teeth, strict=True)}
    assert apart == {(0, 10, 21)}


def test_larger_faults_stand_out_more(model: MapModel) -> None:
    normal = draw(model, "C", Condition.COLD)
    found = [
        separates(
            normal,
            draw(model, "C", Condition.COLD, fault=FaultSpec(sizes=(size,), gain_shift=False)),
            largest,
        )
        for size in (0.25, 1.0, 2.0, 4.0)
    ]
    assert found == sorted(found)
    assert found[-1] > 0.99


def test_teeth_that_share_a_factor_have_no_map() -> None:
    with pytest.raises(ValidationError, match="share the factor 5"):
        PlanetaryStage(planet=30, ring=95)
    rows, columns = PlanetaryStage().pixel(np.arange(31 * 95))
    assert len(set(zip(rows.tolist(), columns.tolist(), strict=True))) == 31 * 95


def test_the_command_writes_a_data_set_with_its_truth(tmp_path: Path) -> None:
    out = tmp_path / "gearbox"
    options = ["--train", "10", "--test", "4", "--seed", "3", "--sizes", "1,2"]
    result = CliRunner().invoke(app, ["simulate", str(out), *options])
    assert result.exit_code == 0, result.output
    data = read_dataset(out)
    assert data.domains == ("A", "B", "C", "D")
    assert data.counts()["A"] == {"train": 9, "validation": 1, "test good": 4, "test fault": 4}
    rows = list(csv.DictReader((out / "truth.csv").read_text().splitlines()))
    faults = [row for row in rows if row["label"] == "1" and row["domain"] == "C"]
    assert [row["condition"] for row in faults] == ["cold", "cold", "warm", "warm"]
    assert [float(row["size"]) for row in faults] == [1, 2, 1, 2]
    item = next(item for item in data.test if item.label)
    assert item.mask is not None
    assert read_map(item.mask).size == (31, 95)
    again = CliRunner().invoke(app, ["simulate", str(tmp_path / "twin"), *options])
    assert again.exit_code == 0
    assert (tmp_path / "twin" / "C" / "test" / "fault" / "00001-cold.tif").read_bytes() == (
        out / "C" / "test" / "fault" / "00001-cold.tif"
    ).read_bytes()


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("mine")
    result = CliRunner().invoke(app, ["simulate", str(tmp_path), "--train", "2", "--test", "1"])
    assert "exists already" in str(result.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["note.txt"]


def test_a_wrong_parameter_is_named(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text("image: -1\ndomains: {}\n")
    with pytest.raises(MapError, match="image"):
        MapSimulation.load(tmp_path / "own.yaml")


def test_a_tooth_keeps_its_level_from_map_to_map_where_rows_persist() -> None:
    lasting = MapSimulation.published().model_copy(update={"row_correlation": 0.85})
    for parameters, low, high in ((MapSimulation.published(), -0.1, 0.1), (lasting, 0.7, 0.95)):
        maps = MapModel(parameters, seed=0).draw("C", Condition.COLD, 100, np.random.default_rng(0)).maps
        rows = np.log(maps).mean(axis=2)
        correlation = np.corrcoef(rows)[np.triu_indices(100, 1)].mean()
        assert low < correlation < high
