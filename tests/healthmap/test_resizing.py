"""The one way from a map to pixels."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image
from pydantic import ValidationError

from handshift.healthmap.resizing import Interpolation, Resizing

RNG = np.random.default_rng(0)
MAP = RNG.normal(2, 5, (31, 95)).astype(np.float32)


def test_a_planetary_map_fills_eight_by_fourteen_tokens_going_round() -> None:
    resizing = Resizing.wrap()
    frame = resizing.apply(MAP)
    assert frame.shape == (112, 196)
    assert resizing.tokens(14) == (8, 14)
    assert np.allclose(frame[:50], frame[62:])  # one turn of the planet lower, the same again
    assert np.allclose(frame[:, :6], frame[:, 190:])


def test_turning_the_map_turns_the_frame() -> None:
    resizing = Resizing.wrap(size=(62, 190), tokens=(5, 14))
    whole = MAP.round()
    turned = resizing.apply(np.roll(whole, (1, 2), axis=(0, 1)))
    assert (turned[2:, 4:] == resizing.apply(whole)[:-2, :-4]).all()  # quarters of whole numbers: exact


@pytest.mark.parametrize("size", [(448, 448), (16, 40), (31, 95)])
def test_without_going_round_it_is_the_resizing_of_pillow(size: tuple[int, int]) -> None:
    pillow = np.asarray(Image.fromarray(MAP).resize(size[::-1], Image.Resampling.BILINEAR))
    assert np.allclose(Resizing.whole(size).apply(MAP), pillow, atol=1e-4)


def test_the_crop_of_the_source_loses_the_rim_and_says_so() -> None:
    resizing = Resizing.crop()
    # 28 and 112 divide 448 by powers of two: sums of whole numbers have no rounding on any processor.
    whole = RNG.integers(-9, 10, (28, 112)).astype(np.float32)
    assert (resizing.apply(whole) == Resizing.whole((448, 448)).apply(whole)[28:420, 28:420]).all()
    assert resizing.tokens(14) == (28, 28)
    unseen = 1 - resizing.seen((31, 95)).mean()
    assert 0.1 < unseen < 0.24
    assert Resizing.wrap().seen((31, 95)).all()


def test_values_are_neither_clipped_nor_rescaled() -> None:
    constant = np.full((31, 95), 2.94, np.float32)
    for resizing in (Resizing.wrap(), Resizing.crop(), Resizing.whole((20, 30))):
        assert np.allclose(resizing.apply(constant), 2.94)


def test_nearest_takes_only_values_that_were_there() -> None:
    resizing = Resizing(size=(62, 190), frame=(112, 196), interpolation=Interpolation.NEAREST)
    assert set(np.unique(resizing.apply(MAP))) <= set(np.unique(MAP))


@pytest.mark.parametrize("resizing", [Resizing.wrap(), Resizing.crop(), Resizing.whole((112, 196))])
def test_what_is_found_in_the_frame_goes_back_to_the_tooth_it_came_from(resizing: Resizing) -> None:
    spot = np.zeros((31, 95), np.float32)
    spot[12, 40] = 1
    back = resizing.restore(resizing.apply(spot), (31, 95))
    assert tuple(map(int, np.unravel_index(back.argmax(), back.shape))) == (12, 40)


def test_a_resizing_survives_its_model_file() -> None:
    resizing = Resizing.wrap(size=(70, 182), tokens=(6, 14))
    assert Resizing.model_validate_json(resizing.model_dump_json()) == resizing


def test_impossible_frames_are_refused() -> None:
    with pytest.raises(ValidationError, match="circular padding"):
        Resizing(size=(10, 10), frame=(20, 20), circular=False)
    with pytest.raises(ValueError, match="whole patches of 14"):
        Resizing.whole((100, 100)).tokens(14)


def test_a_batch_is_resized_as_its_maps_are() -> None:
    batch = RNG.normal(size=(3, 1, 31, 95)).astype(np.float32)
    frames = Resizing.wrap().apply(batch)
    assert frames.shape == (3, 1, 112, 196)
    assert np.allclose(frames[1, 0], Resizing.wrap().apply(batch[1, 0]), atol=1e-6)


def test_a_fitted_picture_keeps_its_shape_and_its_edges_are_repeated() -> None:
    resizing = Resizing.fitted((56, 56))
    picture = np.arange(20 * 40, dtype=np.float32).reshape(20, 40)
    inside = resizing.inside((20, 40))
    assert np.flatnonzero(inside.any(axis=1)).tolist() == list(range(14, 42))  # 28 rows of 56 columns
    assert inside.any(axis=0).all()
    framed = resizing.apply(picture)
    np.testing.assert_allclose(framed[:14], np.repeat(framed[14:15], 14, axis=0), rtol=1e-6)
    np.testing.assert_allclose(framed[14:42], Resizing.whole((28, 56)).apply(picture), rtol=1e-6)


def test_what_is_found_beside_a_fitted_picture_is_not_in_it() -> None:
    resizing = Resizing.fitted((30, 30))
    framed = np.zeros((30, 30), np.float32)
    framed[:, :7] = 9  # 30×16 pixels of the frame show the picture: columns 7 to 22
    framed[20, 15] = 1
    found = resizing.restore(framed, (15, 8))
    assert found.max() < 1
    assert divmod(int(found.argmax()), 8) == (10, 4)
    with pytest.raises(ValueError, match="keeps its shape"):
        Resizing(size=(4, 4), frame=(4, 4), keep_shape=True)
