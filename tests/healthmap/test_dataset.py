"""Folders and tables of maps."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest
import tifffile
from folders import write_domains, write_maps
from PIL import Image

from handshift.core.errors import MapError
from handshift.healthmap.dataset import MapProfile, load_resized, profile_maps, read_dataset
from handshift.healthmap.health_map import MapKind, read_map, write_map
from handshift.healthmap.resizing import Resizing

TILES = Path(__file__).parents[3] / "shared" / "data" / "magnetic_tile"


def test_four_domains_are_read_together_and_one_by_one(tmp_path: Path) -> None:
    data = read_dataset(write_domains(tmp_path, "ABCD"))
    assert data.domains == ("A", "B", "C", "D")
    assert data.counts()["C"] == {"train": 18, "validation": 2, "test good": 5, "test fault": 5}
    alone = data.only("C")
    assert {item.domain for item in alone.train + alone.validation + alone.test} == {"C"}
    with pytest.raises(MapError, match="no domain 'E'; it has A, B, C, D"):
        data.only("E")


def test_validation_is_the_end_of_every_stretch_of_training_and_never_of_test(tmp_path: Path) -> None:
    data = read_dataset(write_domains(tmp_path, "A"))
    assert [item.path.stem for item in data.validation] == ["map-009", "map-019"]
    assert not set(data.validation) & set(data.train)
    assert not any(item.label for item in data.validation)
    assert read_dataset(tmp_path) == data


def test_a_category_of_mvtec_has_its_defects_and_masks(tmp_path: Path) -> None:
    bottle = tmp_path / "bottle"
    for folder in ("train/good", "test/good", "test/crack", "ground_truth/crack"):
        (bottle / folder).mkdir(parents=True)
    for number in range(3):
        Image.fromarray(np.full((8, 9, 3), 40 * number, np.uint8)).save(
            bottle / "train" / "good" / f"{number:03d}.png"
        )
    for folder in ("test/good", "test/crack"):
        Image.fromarray(np.zeros((8, 9, 3), np.uint8)).save(bottle / folder / "000.png")
    Image.fromarray(np.zeros((8, 9), np.uint8)).save(bottle / "ground_truth" / "crack" / "000_mask.png")
    for place in (tmp_path, bottle):
        crack, good = read_dataset(place).test
        assert (crack.domain, crack.defect, crack.label) == ("bottle", "crack", 1)
        assert crack.mask == bottle / "ground_truth" / "crack" / "000_mask.png"
        assert (good.label, good.mask) == (0, None)
    assert profile_maps(read_dataset(bottle).train).channels == 3


def test_a_manifest_tells_labels_domains_and_masks(tmp_path: Path) -> None:
    write_maps(tmp_path, 10, 0)
    rows = [f"map-{number:03d}.tif,normal,free,exp1," for number in range(8)]
    rows += ["map-008.tif,defect,crack,exp1,map-009.tif"]
    (tmp_path / "manifest.csv").write_text("path,label,defect,domain,mask\n" + "\n".join(rows))
    data = read_dataset(tmp_path)
    assert data.counts() == {"exp1": {"train": 5, "validation": 1, "test good": 2, "test fault": 1}}
    fault = next(item for item in data.test if item.label)
    assert (fault.defect, fault.mask) == ("crack", tmp_path / "map-009.tif")


def test_a_manifest_may_say_the_split_itself(tmp_path: Path) -> None:
    write_maps(tmp_path, 4, 0)
    rows = "map-000.tif,0,train\nmap-001.tif,0,train\nmap-002.tif,0,test\nmap-003.tif,1,test\n"
    (tmp_path / "own.csv").write_text(f"path,label,split\n{rows}")
    data = read_dataset(tmp_path / "own.csv")
    assert (len(data.train), len(data.validation), [item.label for item in data.test]) == (1, 1, [0, 1])
    (tmp_path / "own.csv").write_text("path,label,split\nmap-000.tif,1,train\n")
    with pytest.raises(MapError, match="line 2: a faulty map in the train split"):
        read_dataset(tmp_path / "own.csv")


def test_an_empty_domain_is_refused(tmp_path: Path) -> None:
    write_domains(tmp_path, "AB")
    for path in (tmp_path / "B" / "train" / "good").iterdir():
        path.unlink()
    with pytest.raises(MapError, match=r"B.train.good: no maps in this folder"):
        read_dataset(tmp_path)
    (tmp_path / "B" / "train" / "good").rmdir()
    with pytest.raises(MapError, match="the domain is empty"):
        read_dataset(tmp_path)


def test_faults_are_never_learned_from(tmp_path: Path) -> None:
    write_domains(tmp_path, "A")
    write_maps(tmp_path / "A" / "train" / "fault", 2, 9)
    with pytest.raises(MapError, match="only normal maps may be trained on"):
        read_dataset(tmp_path)


def test_a_map_of_another_size_or_type_is_refused(tmp_path: Path) -> None:
    data = read_dataset(write_domains(tmp_path, "A"))
    profile = profile_maps(data.train)
    assert (profile.kind, profile.size) == (MapKind.FLOAT, (31, 95))
    write_map(tmp_path / "turned.tif", np.ones((95, 31)))
    tifffile.imwrite(tmp_path / "bytes.tif", np.ones((31, 95), np.uint8))
    with pytest.raises(MapError, match="95×31 pixels where training had 31×95"):
        profile.check(read_map(tmp_path / "turned.tif"))
    with pytest.raises(MapError, match="8-bit values where training had float"):
        profile.check(read_map(tmp_path / "bytes.tif"))
    tifffile.imwrite(data.train[3].path, np.ones((31, 95), np.uint8))
    with pytest.raises(MapError, match="8-bit values"):
        profile_maps(data.train)


def test_another_unit_is_warned_of_once_and_a_fault_is_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    data = read_dataset(write_domains(tmp_path, "A"))
    with caplog.at_level(logging.INFO, "handshift"):
        profile = profile_maps(data.train)
        row = read_map(data.test[0].path).values.copy()
        row[5] *= 6  # a broken tooth leaves the range in one row of 31
        write_map(data.test[0].path, row)
        load_resized(data.test, Resizing.wrap(), profile)
    assert "domain A: training values 0.0" in caplog.text
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    for item in data.test:
        write_map(item.path, read_map(item.path).values * 1000)
    load_resized(data.test, Resizing.wrap(), profile)
    warnings = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(warnings) == 1
    assert "10 maps out of range" in warnings[0].getMessage()
    assert "another unit?" in warnings[0].getMessage()


def test_train_and_test_go_one_way_to_pixels(tmp_path: Path) -> None:
    data = read_dataset(write_domains(tmp_path, "A"))
    resizing = Resizing.wrap()
    pixels = load_resized(data.train, resizing, profile_maps(data.train))
    assert pixels.shape == (18, 1, 112, 196)
    assert np.array_equal(pixels[2, 0], resizing.apply(read_map(data.train[2].path).values))


def test_a_profile_survives_its_model_file(tmp_path: Path) -> None:
    profile = profile_maps(read_dataset(write_domains(tmp_path, "AB")).train)
    assert MapProfile.model_validate_json(profile.model_dump_json()) == profile


@pytest.mark.shared
@pytest.mark.skipif(not TILES.is_dir(), reason="the shared data folder is not here")
def test_the_magnetic_tiles_are_a_data_set_with_masks() -> None:
    data = read_dataset(TILES)
    faults = [item for item in data.test if item.label]
    assert len(faults) == 392
    assert all(item.mask for item in faults)
    assert len(data.train) + len(data.validation) + len(data.test) == 952 + 392
    with pytest.raises(MapError, match="exp0 is empty"):
        data.only("exp0")
    assert read_map(faults[0].path).size == read_map(faults[0].mask or Path()).size
