"""A set of words becomes one vector, in which a blot need not count."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.embedding.prototypes import Aggregation, prototypes, word_weights

WORDS = np.eye(4, dtype=np.float32)[[0, 0, 0, 0, 3]]
"""Four alike and one across."""


def test_the_mean_weighs_all_words_alike():
    (mean,), (count,) = (getattr(prototypes([WORDS]), name) for name in ("means", "counts"))
    assert mean == pytest.approx([0.8, 0, 0, 0.2])
    assert count == pytest.approx(5)


def test_attention_gives_a_word_that_disagrees_less_weight():
    weights = word_weights(WORDS, Aggregation.ATTENTION)
    assert weights.sum() == pytest.approx(1)
    # softmax(2 · mean cosine with the others): 3/4 for those alike, 0 for the one across.
    assert weights[0] / weights[4] == pytest.approx(np.exp(1.5))
    assert prototypes([WORDS], Aggregation.ATTENTION).counts[0] < 5


def test_a_set_without_words_is_refused():
    with pytest.raises(ValueError, match="without words"):
        prototypes([np.zeros((0, 4), np.float32)])
