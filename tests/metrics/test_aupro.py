"""A small defect counts as much as a large one."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.metrics import UnmeasurableError, aupro


def test_found_and_missed_regions_count_alike_whatever_their_size():
    masks = np.zeros((1, 40, 40), bool)
    masks[0, :2, :2] = True
    masks[0, 20:40, 20:40] = True
    random = np.random.default_rng(0)
    noise = random.random((1, 40, 40))
    assert aupro(noise + 2 * masks, masks) == pytest.approx(1)
    only_large = noise + 2 * masks
    only_large[0, :2, :2] = -1
    assert aupro(only_large, masks) == pytest.approx(0.5, abs=0.01)


def test_knowing_nothing_gives_half_the_limit():
    random = np.random.default_rng(0)
    masks = np.zeros((20, 32, 32), bool)
    masks[:, 4:20, 4:20] = True
    assert aupro(random.random((20, 32, 32)), masks, limit=0.3) == pytest.approx(0.15, abs=0.01)


def test_pictures_without_defects_have_no_overlap():
    with pytest.raises(UnmeasurableError):
        aupro(np.zeros((1, 4, 4)), np.zeros((1, 4, 4), bool))
