"""Labels that say nothing give chance, and a calibration on them gives ratios near 1."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.calibration.calibration import Method, fit_calibration
from handshift.calibration.labelled_scores import LabelledScores
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


@pytest.mark.parametrize("method", list(Method))
def test_a_calibration_on_shuffled_labels_says_next_to_nothing(scores, method):
    labels, found = scores
    shuffled = np.random.default_rng(1).permutation(labels)
    ratios = fit_calibration(LabelledScores(found, shuffled), method).log10_lr(found)
    assert np.abs(ratios).mean() < 0.15
