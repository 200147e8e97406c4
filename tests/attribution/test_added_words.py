"""Words between the lines or in the margin are compared with the text as one group."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.attribution.added_words import added_ratio
from handshift.attribution.same_writer import SameWriter
from handshift.models.shipped_models import find_model


@pytest.fixture(scope="module")
def same_writer() -> SameWriter:
    model = find_model()
    return SameWriter.of(model.covariances(), model.comparison())


def words_of(
    draw: np.random.Generator, writer: np.ndarray, count: int, same_writer: SameWriter
) -> np.ndarray:
    """Words about a writer's place, in the network's dimensions."""
    plda = same_writer.plda
    projected = writer + draw.normal(0, 1, (count, writer.size))
    return (plda.mean + projected @ np.linalg.pinv(plda.projection)).astype(np.float32)


def test_notes_by_another_hand_raise_the_ratio_and_own_notes_lower_it(same_writer):
    draw = np.random.default_rng(4)
    spread = np.sqrt(same_writer.plda.writer)
    one, two = (draw.normal(0, spread) for _ in range(2))
    text = words_of(draw, one, 60, same_writer)
    added = np.arange(68) >= 60
    own, foreign = (
        added_ratio(np.vstack([text, words_of(draw, who, 8, same_writer)]), added, same_writer)
        for who in (one, two)
    )
    assert own is not None and foreign is not None
    assert own.log10_lr < -0.3 < 0.3 < foreign.log10_lr
    for ratio in (own, foreign):
        assert ratio.bounds[0] <= ratio.interval[0] <= ratio.interval[1] <= ratio.bounds[1]
        assert ratio.bounds[0] <= ratio.log10_lr <= ratio.bounds[1]


@pytest.mark.parametrize("notes, text", [(2, 30), (0, 30), (10, 5)])
def test_too_few_words_on_either_side_say_nothing(same_writer, notes, text):
    rows = np.ones((notes + text, same_writer.plda.mean.size), np.float32)
    assert added_ratio(rows, np.arange(notes + text) < notes, same_writer) is None
