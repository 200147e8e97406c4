"""How loud each row is, whatever the column."""

from __future__ import annotations

import numpy as np

from handshift.healthmap.baselines import PIXEL_DETECTORS
from handshift.healthmap.baselines.row_levels import RowLevels
from handshift.metrics import auroc

RNG = np.random.default_rng(0)


def maps(count: int) -> np.ndarray:
    """Bands that grow louder and quieter together, and a little each for itself."""
    together = RNG.standard_normal((count, 1, 1))
    return np.exp(together + 0.3 * RNG.standard_normal((count, 40, 10)))


def test_a_louder_band_is_found_in_whichever_turn_it_is_heard() -> None:
    detector = RowLevels.fit(maps(60))
    odd = maps(60)
    odd[np.arange(60), 17, RNG.integers(10, size=60)] *= 12
    scores = detector.scores(np.concatenate([maps(60), odd]))
    assert auroc(np.repeat([0, 1], 60), scores) > 0.95


def test_the_order_of_turns_does_not_matter() -> None:
    detector = RowLevels.fit(maps(30))
    one = maps(1)
    assert np.allclose(detector.scores(one), detector.scores(np.roll(one, 3, axis=2)), rtol=1e-4)


def test_a_band_that_never_changed_in_training_does_not_divide_by_nothing() -> None:
    still = maps(20)
    still[:, 4] = 1
    assert np.isfinite(RowLevels.fit(still).scores(maps(3))).all()
    assert PIXEL_DETECTORS["row-levels"] is RowLevels
