"""Labels that say nothing give chance: no measure and no calibration finds a difference where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.metrics import auroc


@pytest.fixture
def scores() -> tuple[np.ndarray, np.ndarray]:
    """True labels and scores that separate them well."""
    random = np.random.default_rng(5)
    labels = random.random(3000) < 0.4
    return labels, random.normal(size=3000) + 2.0 * labels


def test_the_area_under_the_curve_of_shuffled_labels_is_one_half(scores):
    labels, found = scores
    assert auroc(labels, found) > 0.9
    shuffled = [auroc(np.random.default_rng(k).permutation(labels), found) for k in range(40)]
    assert abs(np.mean(shuffled) - 0.5) < 0.01 and np.ptp(shuffled) < 0.1
