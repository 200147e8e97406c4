"""Each change does what its name says, and nothing when it is off."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from handshift.embedding.train.augmentation import (
    Augmentation,
    add_background,
    change_ink,
    change_stroke_width,
    elastic,
    erase_rectangle,
    random_affine,
)
from handshift.embedding.train.pseudo_writers import PSEUDO_WRITERS

OFF = {"placing": 0.0, "stroke": 0.0, "ink": 0.0, "blur": 0.0}


@pytest.fixture
def word():
    picture = np.zeros((64, 192), np.uint8)
    cv2.putText(picture, "hand", (60, 42), cv2.FONT_HERSHEY_SIMPLEX, 0.9, 255, 2, cv2.LINE_AA)
    return picture


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def centre(picture):
    y, x = np.indices(picture.shape)
    return np.array([(x * picture).sum(), (y * picture).sum()]) / picture.sum()


def test_with_everything_off_a_word_is_only_centred(word, rng):
    seen = Augmentation(192, **OFF)(word, rng)
    assert abs(int(seen.sum()) - int(word.sum())) < 0.02 * word.sum()
    columns = np.flatnonzero(seen.any(axis=0))
    assert abs((columns[0] + columns[-1]) / 2 - 95.5) <= 1


@pytest.mark.parametrize(
    "name", ["placing", "affine", "elastic", "stroke", "ink", "background", "blur", "erasing"]
)
def test_each_change_can_be_had_alone(word, name):
    plain = Augmentation(96, **OFF)(word, np.random.default_rng(3))
    changed = Augmentation(96, **{**OFF, name: 1.0})(word, np.random.default_rng(3))
    assert changed.shape == (64, 96) and changed.dtype == np.uint8
    assert not np.array_equal(plain, changed)


def test_the_same_generator_gives_the_same_picture(word):
    change = Augmentation(elastic=1.5, erasing=0.5, background=0.5)
    first, second = (change(word, np.random.default_rng(5), pseudo_writer=2) for _ in range(2))
    assert np.array_equal(first, second)


def test_a_long_word_is_seen_through_different_windows(rng):
    ruler = np.repeat(np.arange(1, 193, dtype=np.uint8)[None], 64, axis=0)
    starts = {int(Augmentation(96, **OFF)(ruler, rng)[32, 48]) for _ in range(20)}
    assert max(starts) - min(starts) > 40


def test_random_affine_keeps_within_the_sources_bounds():
    """Four marks about the middle show the matrix that was used."""
    marks = np.array([[-40, 0], [40, 0], [0, -20], [0, 20]])
    for seed in range(50):
        picture = np.zeros((64, 192), np.uint8)
        found = []
        for x, y in marks:
            picture[:] = 0
            cv2.circle(picture, (96 + int(x), 32 + int(y)), 3, 255, -1)
            found.append(centre(random_affine(picture, np.random.default_rng(seed))))
        across, down = (found[1] - found[0]) / 80, (found[3] - found[2]) / 40
        turn, scale = np.degrees(np.arctan2(across[1], across[0])), np.hypot(*across)
        lean = np.degrees(np.arctan2(down[0], down[1])) + turn  # shear x by y, before the turn
        shift = np.mean(found, axis=0) - (96, 32)
        assert abs(turn) <= 7.5 and 0.94 <= scale <= 1.06 and abs(lean) <= 10.8
        assert abs(shift[0]) <= 0.05 * 192 + 1 and abs(shift[1]) <= 0.05 * 64 + 1


def test_elastic_moves_ink_by_about_the_given_number_of_pixels(rng):
    x = np.repeat(np.arange(192, dtype=np.uint8)[None], 64, axis=0)
    moved = elastic(x, rng, pixels=2.0).astype(float)[16:-16, 16:-16] - x[16:-16, 16:-16]
    assert moved.std() == pytest.approx(2.0, rel=0.4)


def test_strokes_get_wider_and_narrower(word):
    sums = [int(change_stroke_width(word, np.random.default_rng(seed)).sum()) for seed in range(30)]
    assert min(sums) < word.sum() < max(sums)
    shallow = [int(change_stroke_width(word, np.random.default_rng(seed), 0.1).sum()) for seed in range(30)]
    assert np.ptp(shallow) < 0.3 * np.ptp(sums)


def test_paper_stays_blank_under_anchange_ink_and_darkens_under_another_sheet(word, rng):
    assert (change_ink(word, rng)[word == 0] == 0).all()
    cloudy = add_background(word, rng, 1.0)
    assert (cloudy >= word).all() and cloudy[word == 0].mean() > 1


def test_erasing_covers_between_a_fiftieth_and_a_fifth():
    full = np.full((64, 96), 255, np.uint8)
    for seed in range(50):
        covered = (erase_rectangle(full, np.random.default_rng(seed)) == 0).mean()
        assert 0.01 < covered < 0.21


def test_a_pseudo_writer_has_another_slant(word):
    upright, sheared = (Augmentation(192, **OFF)(word, np.random.default_rng(0), number) for number in (0, 1))
    assert PSEUDO_WRITERS[1] == (0.3, 1.0)
    top, bottom = sheared[20:30].any(axis=0), sheared[38:44].any(axis=0)
    lean = np.flatnonzero(bottom).mean() - np.flatnonzero(top).mean()
    before = (
        np.flatnonzero(upright[38:44].any(axis=0)).mean() - np.flatnonzero(upright[20:30].any(axis=0)).mean()
    )
    assert lean - before == pytest.approx(0.3 * 16, abs=3)
