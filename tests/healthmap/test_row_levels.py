"""How loud each row is, whatever the column."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.healthmap.baselines import PIXEL_DETECTORS
from handshift.healthmap.baselines.row_covariance import RowCovariance
from handshift.healthmap.baselines.row_levels import RowLevels
from handshift.metrics import auroc

RNG = np.random.default_rng(0)


def maps(count: int, common: float = 1.0) -> np.ndarray:
    """Bands that grow louder and quieter together, and a little each for itself."""
    together = common * RNG.standard_normal((count, 1, 1))
    return np.exp(together + 0.3 * RNG.standard_normal((count, 40, 10)))


@pytest.mark.parametrize(("kind", "common"), [(RowLevels, 1.0), (RowCovariance, 0.1)])
def test_a_louder_band_is_found_in_whichever_turn_it_is_heard(
    kind: type[RowLevels | RowCovariance], common: float
) -> None:
    detector = kind.fit(maps(60, common))
    odd = maps(60, common)
    odd[np.arange(60), 17, RNG.integers(10, size=60)] *= 12
    scores = detector.scores(np.concatenate([maps(60, common), odd]))
    assert auroc(np.repeat([0, 1], 60), scores) > 0.95


def test_the_order_of_turns_does_not_matter() -> None:
    detector = RowLevels.fit(maps(30))
    one = maps(1)
    assert np.allclose(detector.scores(one), detector.scores(np.roll(one, 3, axis=2)), rtol=1e-4)


def test_a_band_that_never_changed_in_training_does_not_divide_by_nothing() -> None:
    still = maps(20)
    still[:, 4] = 1
    for name, kind in (("row-levels", RowLevels), ("row-covariance", RowCovariance)):
        assert PIXEL_DETECTORS[name] is kind
        assert np.isfinite(kind.fit(still).scores(maps(3))).all()


def test_directions_in_which_normal_maps_vary_count_less() -> None:
    detector = RowCovariance.fit(maps(200))
    usual = np.ones((1, 40, 10))
    together, alone = usual * 1.5, usual.copy()
    alone[:, 17] = np.exp(np.sqrt(40) * np.log(1.5))  # as far away in ln level, along one band only
    base = detector.scores(usual)[0]
    assert detector.scores(alone)[0] - base > detector.scores(together)[0] - base
