"""However many threads are used, a page has the same verdict, to the bit."""

from __future__ import annotations

import numpy as np

from handshift.demo import TWO_HANDS
from handshift.pipeline.examiner import Examiner


def test_the_number_of_threads_changes_no_bit_of_a_verdict():
    (one,), *others = (list(Examiner(threads=threads).examine(TWO_HANDS)) for threads in (1, 2, 3))
    for (other,) in others:
        assert other.score == one.score
        assert other.log10_lr == one.log10_lr
        assert other.number == one.number
        assert other.words == one.words
        assert np.array_equal(other.similarity, one.similarity)
