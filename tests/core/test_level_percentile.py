"""Counting levels gives exactly what sorting them gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from handshift.core.level_percentile import level_percentile


@given(arrays(np.uint8, st.integers(1, 300)), st.sampled_from([0, 8, 33.3, 50, 60, 85, 99.5, 100]))
def test_a_counted_percentile_is_that_of_numpy(levels, percent):
    assert level_percentile(levels, percent) == float(np.percentile(levels, percent))


def test_a_single_pixel_is_every_percentile():
    assert level_percentile(np.array([7], np.uint8), 85) == pytest.approx(7)
