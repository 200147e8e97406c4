"""Maps in and out of files."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import tifffile
from PIL import Image

from handshift.core.errors import HandshiftError, MapError
from handshift.healthmap.health_map import MapKind, read_map, write_map


@pytest.mark.parametrize("suffix", [".tif", ".tiff", ".npy"])
def test_a_float_map_comes_back_bit_for_bit_above_one_and_below_zero(tmp_path: Path, suffix: str) -> None:
    values = np.random.default_rng(0).normal(0, 40, (31, 95)).astype(np.float32)
    write_map(tmp_path / f"map{suffix}", values)
    found = read_map(tmp_path / f"map{suffix}")
    assert found.kind is MapKind.FLOAT
    assert found.size == (31, 95)
    assert np.array_equal(found.values, values)
    assert found.value_range == (float(values.min()), float(values.max()))


def test_a_float_tiff_of_the_other_byte_order_is_read_as_it_is(tmp_path: Path) -> None:
    values = np.linspace(-1, 3, 12, dtype=np.float32).reshape(3, 4)
    tifffile.imwrite(tmp_path / "map.tif", values, byteorder=">")
    assert np.array_equal(read_map(tmp_path / "map.tif").values, values)


def test_sixteen_bits_stay_sixteen_bits(tmp_path: Path) -> None:
    grey = np.arange(60000, 60012, dtype=np.uint16).reshape(3, 4)
    Image.fromarray(grey).save(tmp_path / "map.png")
    found = read_map(tmp_path / "map.png")
    assert found.kind is MapKind.WORD
    assert np.unique(found.values).size == 12


def test_pictures_are_read_in_grey_or_in_colour(tmp_path: Path) -> None:
    Image.fromarray(np.full((4, 6), 51, np.uint8)).save(tmp_path / "grey.png")
    Image.fromarray(np.full((4, 6, 3), 255, np.uint8)).save(tmp_path / "colour.jpg")
    grey, colour = read_map(tmp_path / "grey.png"), read_map(tmp_path / "colour.jpg")
    assert (grey.kind, grey.planes.shape) == (MapKind.BYTE, (1, 4, 6))
    assert float(grey.values[0, 0]) == pytest.approx(0.2)
    assert (colour.channels, colour.planes.shape) == (3, (3, 4, 6))


def test_nan_pixels_are_counted_and_refused(tmp_path: Path) -> None:
    values = np.ones((31, 95), np.float32)
    values[3, 4] = values[5, 6] = np.nan
    tifffile.imwrite(tmp_path / "map.tif", values)
    with pytest.raises(MapError, match=r"map\.tif: 2 of 2945 pixels are NaN"):
        read_map(tmp_path / "map.tif")
    with pytest.raises(MapError, match="NaN"):
        write_map(tmp_path / "other.tif", values)


def test_what_is_no_map_is_refused_in_a_sentence(tmp_path: Path) -> None:
    np.save(tmp_path / "objects.npy", np.array([{}], object), allow_pickle=True)
    np.save(tmp_path / "cube.npy", np.zeros((3, 4, 5), np.float32))
    np.save(tmp_path / "whole.npy", np.zeros((3, 4), np.int64))
    tifffile.imwrite(tmp_path / "pages.tif", np.zeros((3, 4, 5), np.float32), photometric="minisblack")
    (tmp_path / "text.tif").write_text("hello")
    (tmp_path / "cut.tif").write_bytes(b"II*\0\x08\0\0\0")
    for name, problem in {
        "objects.npy": "values of type object, which are not read",
        "cube.npy": "3×4×5",
        "whole.npy": "int64",
        "pages.tif": "3 pages",
        "text.tif": "not a map",
        "cut.tif": "damaged",
        "missing.tif": "no such file",
    }.items():
        with pytest.raises(MapError, match=problem):
            read_map(tmp_path / name)


def test_a_header_that_claims_more_than_memory_is_refused_before_decoding(tmp_path: Path) -> None:
    header = {"descr": "<f4", "fortran_order": False, "shape": (200_000, 200_000)}
    with (tmp_path / "bomb.npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
    with pytest.raises(MapError, match="at most 1,073,741,824 are read"):
        read_map(tmp_path / "bomb.npy")


def test_maps_are_not_written_to_formats_that_round(tmp_path: Path) -> None:
    with pytest.raises(MapError, match=r"\.tif"):
        write_map(tmp_path / "map.png", np.zeros((3, 4)))


def test_a_tiff_without_tifffile_names_the_extra_to_install(tmp_path: Path, monkeypatch) -> None:
    write_map(tmp_path / "map.tif", np.ones((3, 4)))
    monkeypatch.setitem(sys.modules, "tifffile", None)  # as if it were not installed
    with pytest.raises(HandshiftError, match=r"handshift\[maps\]"):
        read_map(tmp_path / "map.tif")
