"""Standardised maps keep faults and lose level, usual pixels, rows, columns and scale."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from handshift.core.errors import HandshiftError
from handshift.healthmap.baselines.by_domain import ByDomain
from handshift.healthmap.baselines.row_column import RowColumn
from handshift.healthmap.baselines.row_covariance import RowCovariance
from handshift.healthmap.dataset import MapProfile
from handshift.healthmap.default_unit import default_unit
from handshift.healthmap.health_map import HealthMap, MapKind
from handshift.healthmap.simulate.faults import FaultKind
from handshift.healthmap.simulate.map_model import FaultSpec, MapModel
from handshift.healthmap.simulate.parameters import Condition, MapSimulation
from handshift.healthmap.standardisation import FILE, Standardisation, standardise, usual_pixels
from handshift.metrics import auroc

RNG = np.random.default_rng(0)


def maps(count: int, noise: float = 0.2) -> np.ndarray:
    """Log-normal maps with a common pattern of pixels."""
    usual = np.random.default_rng(9).normal(0, 0.5, (31, 95))
    values: np.ndarray = 0.2 * np.exp(usual + noise * RNG.normal(size=(count, 31, 95)))
    return values


def test_a_standardised_map_has_median_zero_and_unit_noise() -> None:
    normal = maps(40)
    z = standardise(normal, usual_pixels(normal))
    assert np.median(z) == pytest.approx(0, abs=0.02)
    assert z.std() == pytest.approx(1, rel=0.1)
    noisier = standardise(maps(5, noise=0.4), usual_pixels(normal))
    assert noisier.std() == pytest.approx(1, rel=0.1)  # its own noise, not that of training


def test_level_rows_and_columns_do_not_matter_and_a_struck_row_does() -> None:
    normal = maps(40)
    usual = usual_pixels(normal)
    one = normal[0]
    louder = one * 3 * np.exp(RNG.normal(0, 0.5, (31, 1)) + RNG.normal(0, 0.5, (1, 95)))
    pair = standardise(np.stack([one, louder]), usual)
    assert np.corrcoef(pair.reshape(2, -1))[0, 1] > 0.97  # one sweep of quartiles is not exactly additive
    struck = one.copy()
    struck[7, 20:40] *= 4
    assert standardise(struck, usual)[7, 20:40].min() > 2


def test_zeros_and_even_maps_stay_finite() -> None:
    assert np.isfinite(standardise(np.zeros((1, 31, 95)), np.zeros((31, 95)))).all()
    holes = maps(1)
    holes[0, 3, 3] = 0
    assert np.isfinite(standardise(holes, np.zeros((31, 95)))).all()


def test_fitted_numbers_survive_their_file_and_are_checked(tmp_path: Path) -> None:
    items = [("A", HealthMap(map_.astype(np.float32), MapKind.FLOAT, Path("a.tif"))) for map_ in maps(5)]
    fitted = Standardisation.fit(items)
    fitted.save(tmp_path)
    loaded = Standardisation.load(tmp_path, fitted.fingerprint())
    assert loaded.domains == ("A",)
    np.testing.assert_array_equal(loaded.usual, fitted.usual)
    Standardisation(("A",), fitted.usual + 1).save(tmp_path)
    with pytest.raises(HandshiftError, match="not the standardisation this model was trained with"):
        Standardisation.load(tmp_path, fitted.fingerprint())
    (tmp_path / FILE).write_bytes(b"no archive")
    with pytest.raises(HandshiftError, match="not a standardisation"):
        Standardisation.load(tmp_path, fitted.fingerprint())


def test_pictures_are_not_standardised() -> None:
    picture = HealthMap(np.ones((4, 5), np.float32), MapKind.BYTE, Path("p.png"))
    with pytest.raises(HandshiftError, match="needs float maps"):
        Standardisation.fit([("A", picture)])


@pytest.mark.parametrize("kind", [FaultKind.PLANET, FaultKind.RING, FaultKind.SUN])
def test_cold_and_warm_faults_are_found_together(kind: FaultKind) -> None:
    model, rng = MapModel(MapSimulation.published(), 5), np.random.default_rng(5)

    def both(training: bool = False, fault: FaultSpec | None = None) -> np.ndarray:
        parts = [model.draw("C", one, 60, rng, training=training, fault=fault).maps for one in Condition]
        return np.concatenate(parts)

    detector = RowColumn.fit(both(training=True))
    tested = np.concatenate([both(), both(fault=FaultSpec(kind, gain_shift=False))])
    assert auroc(np.repeat([0, 1], 120), detector.scores(tested)) > 0.98  # planet: .87 with one σ


@pytest.mark.parametrize("kind", [RowColumn, RowCovariance])
def test_detectors_of_domains_survive_their_file(kind: type[RowColumn | RowCovariance], tmp_path: Path):
    detectors = ByDomain({name: kind.fit(maps(10)) for name in "AB"})
    detectors.save(tmp_path / "detectors.npz")
    loaded = ByDomain.load(kind, tmp_path / "detectors.npz")
    test = maps(3)
    for domain in ("A", "B", None):
        expected = detectors.of_domain(domain).scores(test)
        np.testing.assert_allclose(loaded.of_domain(domain).scores(test), expected)
    assert not np.allclose(detectors.of_domain("A").scores(test), detectors.of_domain(None).scores(test))
    with pytest.raises(HandshiftError, match=f"not a {kind.__name__} detector"):
        ByDomain.load(kind, Path(__file__))


@pytest.mark.parametrize(
    ("about", "unit"),
    [
        ('{"axes": ["planet tooth", "ring tooth"]}', "standard"),
        ('{"axes": ["tooth", "turn"]}', "map"),
        ('{"axes": ["order band", "turn"]}', "map"),
        ('{"axes": "turn"}', "domain"),
        ('{"axes": []}', "domain"),
        ("{}", "domain"),
        ("not json", "domain"),
    ],
)
def test_the_default_unit_is_that_of_the_axes(tmp_path: Path, about: str, unit: str) -> None:
    map_ = HealthMap(np.ones((31, 95), np.float32), MapKind.FLOAT, tmp_path / "map.tif")
    profile = MapProfile.fit([("A", map_)])
    assert default_unit(tmp_path, profile) == "domain"
    (tmp_path / "about.json").write_text(about, encoding="utf-8")
    assert default_unit(tmp_path, profile) == unit
    picture = HealthMap(np.ones((31, 95), np.float32), MapKind.BYTE, tmp_path / "map.png")
    assert default_unit(tmp_path, MapProfile.fit([("A", picture)])) == "domain"
