"""Every common kind of scan is read alike, and every bad one is refused in one sentence."""

import hashlib
import os
import re
import struct
import sys
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from handshift.core.errors import PageError
from handshift.page.decode_worker import isolated_pages
from handshift.page.scan import Scan, read_scans, scan_pages

INK, PAPER = 40, 230


def page() -> NDArray[np.uint8]:
    """Paper with a dark bar at the top left, so that turning it shows."""
    grey = np.full((60, 90), PAPER, np.uint8)
    grey[5:15, 5:50] = INK
    return grey


def saved(tmp_path: Path, image: Image.Image, name: str, **options: Any) -> Path:
    image.save(tmp_path / name, **options)
    return tmp_path / name


def only(path: Path) -> Scan:
    (scan,) = read_scans(path)
    assert scan.image.dtype == np.uint8
    assert scan.image.flags.c_contiguous
    assert scan.image.flags.writeable
    return scan


def assert_shows_the_page(image: NDArray[np.uint8], tolerance: int = 2) -> None:
    assert image.shape == (60, 90, 3)
    assert np.abs(image.astype(int) - page()[:, :, None]).max() <= tolerance


@pytest.mark.parametrize("name", ["a.png", "a.tif", "a.bmp", "a.webp"])
@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "P"])
def test_lossless_files_of_every_mode(tmp_path: Path, name: str, mode: str) -> None:
    options = {"lossless": True} if name.endswith("webp") else {}
    scan = only(saved(tmp_path, Image.fromarray(page()).convert(mode), name, **options))
    assert_shows_the_page(scan.image)


@pytest.mark.parametrize("name", ["a.heic", "called.jpg"])
def test_a_photo_as_phones_store_it(tmp_path: Path, name: str) -> None:
    heif = pytest.importorskip("pillow_heif")
    path = tmp_path / name
    heif.from_pillow(Image.fromarray(page()).convert("RGB")).save(path, quality=100, format="HEIF")
    assert_shows_the_page(only(path).image, tolerance=16)
    (scan,) = isolated_pages(path)
    assert isinstance(scan, Scan)
    assert_shows_the_page(scan.image, tolerance=16)


def test_a_photo_without_its_library_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    path = tmp_path / "a.heic"
    path.write_bytes(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic")
    (error,) = scan_pages(path)
    assert isinstance(error, PageError)
    assert "pip install 'handshift[heic]'" in error.problem


@pytest.mark.parametrize("mode", ["L", "RGB", "CMYK"])
def test_jpeg(tmp_path: Path, mode: str) -> None:
    scan = only(saved(tmp_path, Image.fromarray(page()).convert(mode), "a.jpg", quality=98, subsampling=0))
    assert_shows_the_page(scan.image, tolerance=16)


def test_cmyk_tiff_and_one_bit(tmp_path: Path) -> None:
    assert_shows_the_page(only(saved(tmp_path, Image.fromarray(page()).convert("CMYK"), "a.tif")).image)
    black = only(saved(tmp_path, Image.fromarray(page() > 128), "b.png")).image
    assert np.unique(black).tolist() == [0, 255]


@pytest.mark.parametrize("name", ["a.png", "a.tif"])
@pytest.mark.parametrize("bits", [12, 16])
def test_deep_grey_fills_the_range_and_is_not_clipped(tmp_path: Path, name: str, bits: int) -> None:
    white = 2**bits - 1
    deep = np.rint(page() / 255 * white).astype(np.uint16)
    assert_shows_the_page(only(saved(tmp_path, Image.fromarray(deep), name)).image)


def test_floating_point_tiff_with_a_hole_is_read_as_paper(tmp_path: Path) -> None:
    grey = (page() / 255).astype(np.float32)
    grey[0, 0] = np.nan
    assert_shows_the_page(only(saved(tmp_path, Image.fromarray(grey), "f.tif")).image)


def test_transparency_lies_on_white_paper(tmp_path: Path) -> None:
    clear = np.zeros((60, 90, 4), np.uint8)
    clear[5:15, 5:50, 3] = 255
    image = only(saved(tmp_path, Image.fromarray(clear), "a.png")).image
    assert image[0, 0].tolist() == [255, 255, 255]
    assert image[10, 20].tolist() == [0, 0, 0]


@pytest.mark.parametrize("name", ["a.jpg", "a.png", "a.tif", "a.webp"])
def test_a_turned_scan_is_set_upright(tmp_path: Path, name: str) -> None:
    exif = Image.Exif()
    exif[274] = 6  # to be shown turned a quarter clockwise
    image = only(saved(tmp_path, Image.fromarray(page()).convert("RGB"), name, exif=exif)).image
    assert image.shape == (90, 60, 3)
    assert image[20, 50].max() < 100 < image[20, 10].min()


def test_every_page_of_a_tiff_with_one_hash(tmp_path: Path) -> None:
    first, second = Image.fromarray(page()), Image.fromarray(255 - page())
    path = saved(tmp_path, first, "a.tif", save_all=True, append_images=[second], dpi=(300, 300))
    scans = list(read_scans(path))
    assert [scan.number for scan in scans] == [0, 1]
    assert scans[0].dpi == pytest.approx(300)
    assert {scan.sha256 for scan in scans} == {hashlib.sha256(path.read_bytes()).hexdigest()}
    assert_shows_the_page(scans[0].image)
    assert_shows_the_page(255 - scans[1].image)


def test_a_wrong_suffix_does_not_matter_and_no_resolution_is_none(tmp_path: Path) -> None:
    scan = only(saved(tmp_path, Image.fromarray(page()), "a.jpg", format="PNG"))
    assert_shows_the_page(scan.image)
    assert scan.dpi is None


def test_pdf_pages(tmp_path: Path) -> None:
    sheets = [Image.fromarray(page()).convert("RGB").resize((900, 600)) for _ in range(2)]
    path = saved(tmp_path, sheets[0], "a.pdf", save_all=True, append_images=sheets[1:], resolution=100)
    first, second = read_scans(path)
    assert first.image.shape == (1200, 1800, 3)
    assert (first.dpi, second.number) == (200, 1)
    assert np.abs(first.image[::20, ::20].astype(int) - page()[:, :, None]).mean() < 8


def three_pages(tmp_path: Path, name: str, **options: object) -> Path:
    sheets = [Image.fromarray(page()).convert("RGB").resize((900, 600)) for _ in range(3)]
    return saved(tmp_path, sheets[0], name, save_all=True, append_images=sheets[1:], **options)


def assert_only_the_second_page_is_missing(path: Path) -> None:
    first, second, third = scan_pages(path)
    assert isinstance(first, Scan) and isinstance(third, Scan)
    assert isinstance(second, PageError)
    assert [first.number, second.number, third.number] == [0, 1, 2]
    assert second.sha256 == first.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_pages_after_a_damaged_page_of_a_tiff_are_read(tmp_path: Path) -> None:
    path = three_pages(tmp_path, "a.tif", compression="tiff_adobe_deflate")
    with Image.open(path) as file:
        file.seek(1)
        offset, size = file.tag_v2[273][0], file.tag_v2[279][0]  # type: ignore[attr-defined]
    content = bytearray(path.read_bytes())
    content[offset : offset + size] = b"\xff" * size
    path.write_bytes(bytes(content))
    assert_only_the_second_page_is_missing(path)


def test_pages_after_a_page_of_a_pdf_that_is_too_large_are_read(tmp_path: Path) -> None:
    path = three_pages(tmp_path, "a.pdf", resolution=100)
    second = [found.start() for found in re.finditer(rb"/MediaBox", path.read_bytes())][1]
    content = path.read_bytes()
    end = content.index(b"]", second) + 1
    box = b"/MediaBox [0 0 99999 99999]"
    path.write_bytes(content[:second] + box.ljust(end - second) + content[end:])
    assert_only_the_second_page_is_missing(path)


def test_where_the_chain_of_a_tiff_breaks_one_error_stands_for_the_rest(tmp_path: Path) -> None:
    path = three_pages(tmp_path, "a.tif")
    content = path.read_bytes()
    (first,) = struct.unpack("<I", content[4:8])
    entries = struct.unpack("<H", content[first : first + 2])[0]
    link = first + 2 + 12 * entries
    path.write_bytes(content[:link] + struct.pack("<I", len(content) - 1) + content[link + 4 :])
    one, error = scan_pages(path)
    assert isinstance(one, Scan) and isinstance(error, PageError) and error.number == 1


def png_header(width: int, height: int) -> bytes:
    body = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = b"IDAT" + zlib.compress(b"\0" * 100)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
        for chunk in (body, data, b"IEND")
    )


def cut_short(form: str) -> bytes:
    stream = BytesIO()
    noise = np.random.default_rng(0).integers(0, 255, (80, 80, 3), np.uint8)
    Image.fromarray(noise).save(stream, form)
    return stream.getvalue()[: len(stream.getvalue()) // 2]


def pdf(pages: str, extra: str = "") -> bytes:
    objects = f"1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages{pages}>>endobj\n{extra}"
    return f"%PDF-1.4\n{objects}trailer<</Root 1 0 R>>\n%%EOF".encode()


def locked_pdf() -> bytes:
    lock = f"3 0 obj<</Filter/Standard/V 1/R 2/O<{'ab' * 32}>/U<{'cd' * 32}>/P -4>>endobj\n"
    return pdf("/Kids[]/Count 0", lock).replace(b"/Root", b"/Encrypt 3 0 R/ID[<00><00>]/Root")


def deep_planar_tiff() -> bytes:
    """A header alone: 16 bits, three separate planes, which Pillow would decode into nonsense."""
    tags = [
        (256, 90),
        (257, 60),
        (258, 16),
        (259, 1),
        (262, 2),
        (273, 8),
        (277, 3),
        (278, 60),
        (279, 8),
        (284, 2),
    ]
    entries = b"".join(struct.pack("<HHIHH", tag, 3, 1, value, 0) for tag, value in tags if tag != 258)
    bits = struct.pack("<HHII", 258, 3, 3, 8)
    return (
        b"II*\0"
        + struct.pack("<IHHHH", 16, 16, 16, 16, 0)
        + struct.pack("<H", len(tags))
        + (entries[:24] + bits + entries[24:])
        + bytes(4)
    )


HUGE_PAGE = pdf(
    "/Kids[3 0 R]/Count 1", "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 14000 14000]>>endobj\n"
)
BAD = {
    "empty.png": (b"", "the file is empty"),
    "zeros.png": (bytes(100), "the file is empty"),
    "text.png": (b"Dear Sir, this is not a picture.", "not an image of a kind"),
    "drawing.svg": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not an image of a kind"),
    "cut.jpg": (cut_short("JPEG"), "damaged or cut short"),
    "cut.png": (cut_short("PNG"), "damaged or cut short"),
    "cut.tif": (cut_short("TIFF"), "damaged or cut short"),
    "cut.webp": (cut_short("WEBP"), "damaged or cut short"),
    "cut.bmp": (cut_short("BMP"), "damaged or cut short"),
    "header.png": (b"\x89PNG\r\n\x1a\n", "damaged or cut short"),
    "dot.png": (png_header(1, 1), "too small to hold writing"),
    "bomb.png": (png_header(30_000, 30_000), "over the limit of 200 megapixels"),
    "large.png": (png_header(14_200, 14_200), "over the limit of 200 megapixels"),
    "nopage.pdf": (pdf("/Kids[]/Count 0"), "no pages|without pages"),
    "damaged.pdf": (b"%PDF-1.4\nrubbish", "PDF is damaged"),
    "locked.pdf": (locked_pdf(), "the PDF is encrypted; save a copy without a password"),
    "planes.tif": (deep_planar_tiff(), "16-bit colours in separate planes"),
    "huge.pdf": (HUGE_PAGE, "over the limit of 200 megapixels"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_clear_error(tmp_path: Path, name: str) -> None:
    content, message = BAD[name]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(PageError, match=message) as caught:
        list(read_scans(path))
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_a_pixel_limit_of_ours_and_not_of_pillow(tmp_path: Path) -> None:
    """Pillow would warn at 89 and refuse at 179 megapixels; a map of 190 is only damaged here."""
    path = tmp_path / "map.png"
    path.write_bytes(png_header(19_000, 10_000))
    with pytest.raises(PageError, match="damaged or cut short"):
        list(read_scans(path))


def test_a_missing_file_a_folder_and_a_closed_file(tmp_path: Path) -> None:
    with pytest.raises(PageError, match="no such file"):
        list(read_scans(tmp_path / "none.png"))
    with pytest.raises(PageError, match="a folder where a file was wanted"):
        list(read_scans(tmp_path))
    closed = saved(tmp_path, Image.fromarray(page()), "closed.png")
    closed.chmod(0)
    if not os.access(closed, os.R_OK):  # root may read everything
        with pytest.raises(PageError, match="cannot be read"):
            list(read_scans(closed))
