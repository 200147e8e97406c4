"""A file becomes a map: bounded before it is decoded, and never through 8 bits."""

from __future__ import annotations

import warnings
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.healthmap.error import MapError
from handshift.healthmap.maps.health_map import HealthMap, as_map

MAX_PIXELS = 50_000_000
MAX_FILE_BYTES = 1 << 30
MAP_SUFFIXES = frozenset({".tif", ".tiff", ".npy", ".png", ".jpg", ".jpeg"})


def read_map(path: Path | str) -> HealthMap:
    """Read float TIFF, ``.npy``, PNG or JPEG; whatever is wrong with the file is a `MapError`."""
    path = Path(path)
    content = _content(path)
    try:
        raw = _decode(content, path)
    except MapError:
        raise
    except Exception as error:  # decoders meet damage with whatever they stumble over
        raise MapError(path, f"damaged, or of a kind that is not read ({error}); save it again") from error
    return as_map(raw, path)


def _decode(content: bytes, path: Path) -> NDArray[np.generic]:
    # By content and not by suffix: a float TIFF that a viewer saved again as PNG keeps its old name.
    if content[:4] in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"):
        return _tiff(content, path)
    if content.startswith(b"\x93NUMPY"):
        return _npy(content, path)
    if content.startswith((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")):
        return _picture(content, path)
    raise MapError(path, "not a map of a kind handshift reads; give it float TIFF, .npy, PNG or JPEG")


def _tiff(content: bytes, path: Path) -> NDArray[np.generic]:
    import tifffile  # of the `maps` extra

    with tifffile.TiffFile(BytesIO(content)) as file:
        if len(file.pages) > 1:
            raise MapError(path, f"holds {len(file.pages)} pages; save each map in a file of its own")
        page = file.pages[0]
        _check_pixels(int(np.prod(page.shape, dtype=np.int64)), path)
        return np.asarray(page.asarray())


def _npy(content: bytes, path: Path) -> NDArray[np.generic]:
    stream = BytesIO(content)
    version = np.lib.format.read_magic(stream)
    read_header = (
        np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    )
    shape, _, dtype = read_header(stream)
    _check_pixels(int(np.prod(shape, dtype=np.int64)), path)
    if dtype.hasobject:
        raise MapError(path, "holds Python objects, which are never opened; save a float32 array")
    return np.asarray(np.load(BytesIO(content), allow_pickle=False))


def _picture(content: bytes, path: Path) -> NDArray[np.generic]:
    from PIL import Image, ImageOps

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pillow's own limit on size only warns; ours refuses
        image = Image.open(BytesIO(content), formats=("PNG", "JPEG"))
        _check_pixels(image.width * image.height, path)
        upright = ImageOps.exif_transpose(image)
        if upright.mode.startswith("I"):  # 16 bits a pixel
            return np.asarray(upright).astype(np.uint16)
        return np.asarray(upright.convert("L" if upright.mode in ("1", "L", "LA") else "RGB"))


def _content(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise MapError(path, "no such file; check the spelling")
        if (size := path.stat().st_size) > MAX_FILE_BYTES:
            raise MapError(path, f"{size / 2**30:.1f} GiB is more than the 1 GiB a map may have")
        return path.read_bytes()
    except OSError as error:
        raise MapError(path, f"cannot be read ({error.strerror or error}); check its permissions") from error


def _check_pixels(pixels: int, path: Path) -> None:
    if pixels > MAX_PIXELS:
        raise MapError(path, f"{pixels:,} values are over the limit of {MAX_PIXELS:,}; save a smaller map")
