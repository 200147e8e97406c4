"""Large JPEG 2000 images: coarser levels, and tiles one by one where the wavelets hold too few of them."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from handshift.page import raster
from handshift.page.jpeg2000_tiles import CodestreamError, TiledCodestream
from handshift.page.raster import Picture, RasterPages
from handshift.page.scan import read_scans


@pytest.mark.parametrize("tile", [None, (256, 256)])
def test_a_large_jpeg_2000_is_decoded_at_a_coarser_level(
    tile: tuple[int, int] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    rng = np.random.default_rng(0)
    smooth = cv2.resize(
        rng.integers(0, 255, (30, 45, 3), np.uint8), (901, 601), interpolation=cv2.INTER_CUBIC
    )
    Image.fromarray(smooth).save(tmp_path / "page.jp2", tile_size=tile, num_resolutions=4)
    whole = next(read_scans(tmp_path / "page.jp2")).image
    assert whole.shape == (601, 901, 3)
    monkeypatch.setattr(raster, "_LARGEST_JPEG2000", 200_000)
    half = next(read_scans(tmp_path / "page.jp2")).image
    assert half.shape == (301, 451, 3)
    again = cv2.resize(whole, (451, 301), interpolation=cv2.INTER_AREA)
    assert np.abs(half.astype(int) - again.astype(int)).mean() < 4


@pytest.mark.parametrize("kind", ["RGB", "L", "I;16"])
def test_tiles_of_a_jpeg_2000_without_coarser_levels_are_decoded_one_by_one(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    rng = np.random.default_rng(0)
    smooth = cv2.resize(rng.integers(0, 255, (30, 45), np.uint8), (901, 601), interpolation=cv2.INTER_CUBIC)
    content = {"RGB": np.dstack([smooth, smooth // 2, 255 - smooth]), "L": smooth}
    page = Image.fromarray(content.get(kind, smooth.astype(np.uint16) * 16))  # a scanner of 12 bits
    # Pillow writes tiles of deep grey in the wrong place: each file is compared with itself decoded at once.
    for name, tile in (("tiled.jp2", (256, 200)), ("bare.j2k", (300, 300)), ("whole.jp2", None)):
        page.save(tmp_path / name, tile_size=tile, num_resolutions=1)
    at_once = {path.name: next(read_scans(path)).image for path in tmp_path.iterdir()}
    monkeypatch.setattr(raster, "_LARGEST_JPEG2000", 200_000)
    decoded: list[int] = []
    one_by_one = raster._decoded

    def noted(tile: bytes) -> NDArray[Any]:
        decoded.append(len(tile))
        return one_by_one(tile)

    monkeypatch.setattr(raster, "_decoded", noted)
    for name, tiles in (("tiled.jp2", 4 * 4), ("bare.j2k", 4 * 3)):
        decoded.clear()
        half = _picture(tmp_path / name).image
        assert half.shape == (301, 451, 3) and len(decoded) == tiles
        even = np.pad(at_once[name], ((0, 1), (0, 1), (0, 0)), mode="edge")
        again = cv2.resize(even, (451, 301), interpolation=cv2.INTER_AREA)
        assert np.abs(half.astype(int) - again.astype(int)).mean() < 1
    assert _picture(tmp_path / "whole.jp2").image.shape == (601, 901, 3)  # one tile, no level: as it is


def test_a_tile_alone_is_that_part_of_the_image(tmp_path: Path):
    pixels = np.random.default_rng(1).integers(0, 255, (333, 500, 3), np.uint8)
    Image.fromarray(pixels).save(tmp_path / "page.jp2", tile_size=(128, 96), num_resolutions=3)
    content = (tmp_path / "page.jp2").read_bytes()
    stream = TiledCodestream.read(content)
    assert stream.levels == 2
    for tile in stream.tiles:
        alone = np.asarray(Image.open(BytesIO(stream.alone(tile))))
        assert np.array_equal(alone, pixels[tile.top : tile.bottom, tile.left : tile.right])
    for damaged in (b"", content[:60], content[: len(content) // 2], content[:90] + b"\xff" * 200):
        with pytest.raises(CodestreamError):
            cut = TiledCodestream.read(damaged)
            for tile in cut.tiles:
                cut.alone(tile)


def test_the_resolution_of_a_jpeg_2000_decoded_at_half_its_size_is_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    Image.fromarray(np.full((600, 900), 200, np.uint8)).save(tmp_path / "page.j2k", num_resolutions=4)
    monkeypatch.setattr(raster, "_LARGEST_JPEG2000", 200_000)
    monkeypatch.setattr(raster, "_dpi", lambda file: 600.0)
    assert _picture(tmp_path / "page.j2k").dpi == 300.0


def _picture(path: Path) -> Picture:
    """Decoded in this process."""
    return RasterPages(path.read_bytes(), path).picture(0)
