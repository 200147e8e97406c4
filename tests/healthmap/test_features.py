"""Features are computed once, kept, and computed anew when anything they hang on has changed."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest
import tifffile
from folders import SIZE, write_domains
from tiny_encoder import write_encoder

from handshift.healthmap.dataset import profile_maps, read_dataset
from handshift.healthmap.encoder import load_frozen_encoder
from handshift.healthmap.features import FeatureCache
from handshift.healthmap.framing import default_tokens, resizing_for
from handshift.healthmap.health_map import write_map


@pytest.fixture(scope="module")
def encoder_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture
def dataset(tmp_path: Path):
    return read_dataset(write_domains(tmp_path / "maps", train=5, test=1))


def cache_of(dataset, folder: Path, encoder_folder: Path, framing=None) -> FeatureCache:
    profile = profile_maps(dataset.train)
    encoder = load_frozen_encoder(str(encoder_folder), (4, 6))
    resizing = resizing_for(profile, (4, 6), encoder.patch, framing)
    return FeatureCache(folder, encoder, resizing, profile)


def test_features_are_kept_in_half_precision_and_not_computed_twice(dataset, tmp_path, encoder_folder):
    counted = []
    cache = cache_of(dataset, tmp_path / "cache", encoder_folder)
    features = cache.features(dataset.train, lambda: counted.append(1))
    assert features.shape == (8, 2, 24, 16)
    assert features.dtype == np.float16
    assert isinstance(features, np.memmap)
    again = cache_of(dataset, tmp_path / "cache", encoder_folder).features(
        dataset.train, lambda: counted.append(1)
    )
    assert len(counted) == 8
    np.testing.assert_array_equal(features, again)


@pytest.mark.parametrize("change", ["encoder", "resizing", "maps"])
def test_a_stale_cache_is_warned_of_and_made_anew(change, dataset, tmp_path, encoder_folder, caplog):
    old = np.array(cache_of(dataset, tmp_path / "cache", encoder_folder).features(dataset.train))
    if change == "encoder":
        encoder_folder = write_encoder(tmp_path / "other", seed=3)
    if change == "maps":
        values = np.full(SIZE, 0.2, np.float32)
        values[0, 0] = 0.21  # within the old range: only the file's content tells
        write_map(dataset.train[0].path, values)
    framing = "crop" if change == "resizing" else None
    with caplog.at_level(logging.WARNING):
        new = cache_of(dataset, tmp_path / "cache", encoder_folder, framing).features(dataset.train)
    assert "out of date" in caplog.text
    assert change in caplog.text
    assert not np.array_equal(old, new)


def test_a_cache_cut_off_half_way_is_not_taken_for_whole(dataset, tmp_path, encoder_folder):
    cache = cache_of(dataset, tmp_path / "cache", encoder_folder)

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cache.features(dataset.train, stop)
    assert len(cache.features(dataset.train)) == 8


def test_an_interrupted_encoding_goes_on_after_its_last_whole_batch(
    dataset, tmp_path, encoder_folder, monkeypatch
):
    monkeypatch.setattr("handshift.healthmap.features._BATCH", 3)
    whole = cache_of(dataset, tmp_path / "whole", encoder_folder).features(dataset.train)
    cache, read = cache_of(dataset, tmp_path / "cache", encoder_folder), []

    def stop_at_the_fifth() -> None:
        read.append(1)
        if len(read) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cache.features(dataset.train, stop_at_the_fifth)
    read.clear()
    np.testing.assert_array_equal(cache.features(dataset.train, lambda: read.append(1)), whole)
    assert len(read) == 5  # the first three of eight were kept
    other = cache_of(dataset, tmp_path / "cache", write_encoder(tmp_path / "other", seed=3))
    assert not np.array_equal(other.features(dataset.train), whole)


def test_a_domain_is_seen_in_its_own_unit(dataset, tmp_path, encoder_folder):
    cache = cache_of(dataset, tmp_path / "cache", encoder_folder)
    high = {domain: known.high for domain, known in cache.profile.ranges.items()}
    first = dataset.train[0]
    from handshift.healthmap.health_map import read_map

    shown = cache.pictures([first])[0, 0]
    wanted = cache.resizing.apply(read_map(first.path).values) / high[first.domain]
    np.testing.assert_allclose(shown, wanted, rtol=1e-5)


def test_in_its_own_unit_a_louder_map_looks_the_same(dataset, tmp_path, encoder_folder):
    from dataclasses import replace

    cache = replace(cache_of(dataset, tmp_path / "cache", encoder_folder), unit="map")
    before = cache.pictures(dataset.train[:1])
    assert before.mean() == pytest.approx(0.25)
    louder = 1.1 * tifffile.imread(dataset.train[0].path)
    write_map(dataset.train[0].path, louder)
    np.testing.assert_allclose(cache.pictures(dataset.train[:1]), before, rtol=1e-4)


def test_a_gear_map_lies_on_whole_teeth_and_nothing_is_dropped(dataset):
    profile = profile_maps(dataset.train)
    assert default_tokens(profile) == (8, 12)
    circular = resizing_for(profile, (8, 12), 8)
    assert (circular.size, circular.frame) == ((62, 95), (64, 96))
    assert circular.seen(SIZE).all()
    cropped = resizing_for(profile, (8, 12), 8, "crop").seen(SIZE)
    assert 0.15 < 1 - cropped.mean() < 0.3, "the source's crop drops about 23 %"
