"""One health map or picture: reading and writing files without loss of precision.

Sizes are bounded before anything is decoded; float values never pass through 8 bits.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from enum import StrEnum
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.core.atomic import write_bytes
from handshift.core.errors import HandshiftError, MapError
from handshift.core.loaders import LoadError, parse_npy

Floats = NDArray[np.float32]


class MapKind(StrEnum):
    """Depth of the values in the file; a model trained on one kind refuses the others."""

    FLOAT = "float"
    """float32 (or float16, float64): physical values of any size and sign, unscaled."""
    WORD = "16-bit"
    """0…65535, read as 0…1."""
    BYTE = "8-bit"
    """0…255, read as 0…1."""


@dataclass(frozen=True, slots=True)
class HealthMap:
    """One map or picture; values are never clipped."""

    values: Floats = field(repr=False)
    """H×W, or H×W×3 for a picture in colour; finite."""
    kind: MapKind
    path: Path

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns: planet teeth × ring teeth, height × width."""
        return self.values.shape[0], self.values.shape[1]

    @property
    def channels(self) -> int:
        """1, or 3 for colour."""
        return 1 if self.values.ndim == 2 else self.values.shape[2]

    @property
    def planes(self) -> Floats:
        """Channels first: 1×H×W or 3×H×W."""
        return self.values[None] if self.values.ndim == 2 else self.values.transpose(2, 0, 1)

    @property
    def value_range(self) -> tuple[float, float]:
        """Smallest and largest value."""
        return float(self.values.min()), float(self.values.max())


FULL_SCALE = {np.dtype(np.uint8): (MapKind.BYTE, 255), np.dtype(np.uint16): (MapKind.WORD, 65535)}


def as_map(raw: NDArray[np.generic], path: Path) -> HealthMap:
    """Convert decoded pixels to float32.

    Args:
        raw: H×W, H×W×1 or H×W×3, of float, 8-bit or 16-bit values.
        path: The file, for messages.

    Returns:
        The map.

    Raises:
        MapError: Another shape or type, or values that are not finite in float32.
    """
    if raw.ndim == 3 and raw.shape[2] == 1:
        raw = raw[:, :, 0]
    if raw.ndim not in (2, 3) or (raw.ndim == 3 and raw.shape[2] != 3) or 0 in raw.shape:
        shape = "×".join(map(str, raw.shape)) or "one number"
        raise MapError(
            path, f"holds {shape}, not one map of rows × columns; save each map in a file of its own"
        )
    native = raw.dtype.newbyteorder("=")  # a TIFF may be big-endian
    if native in FULL_SCALE:
        kind, full = FULL_SCALE[native]
        return HealthMap((raw.astype(np.float32) / np.float32(full)), kind, path)
    if native.kind != "f":
        raise MapError(path, f"its values are {raw.dtype}; save them as float32")
    if bad := int((~np.isfinite(raw)).sum()):
        raise MapError(
            path, f"{bad} of {raw.size} pixels are NaN or infinite; correct the recording or leave it out"
        )
    with np.errstate(over="ignore"):
        values = raw.astype(np.float32)
    if not np.isfinite(values).all():
        raise MapError(path, "values beyond the range of float32; scale them down")
    return HealthMap(values, MapKind.FLOAT, path)


MAX_PIXELS = 50_000_000
MAX_FILE_BYTES = 1 << 30
MAP_SUFFIXES = frozenset({".tif", ".tiff", ".npy", ".png", ".jpg", ".jpeg"})


def read_map(path: Path | str) -> HealthMap:
    """Read float TIFF, ``.npy``, PNG or JPEG, recognised by content.

    Args:
        path: The file.

    Returns:
        The map.

    Raises:
        MapError: The file is missing, damaged, too large, or holds no map.
        HandshiftError: The file is a TIFF and tifffile is not installed.
    """
    path = Path(path)
    content = _content(path)
    try:
        raw = _decode(content, path)
    except MapError:
        raise
    except ModuleNotFoundError as error:
        raise HandshiftError(
            f"reading TIFF maps needs {error.name}, which is not installed: pip install 'handshift[maps]'"
        ) from error
    except Exception as error:  # decoders raise many types on damaged files
        raise MapError(path, f"damaged, or of a kind that is not read ({error}); save it again") from error
    return as_map(raw, path)


def _decode(content: bytes, path: Path) -> NDArray[np.generic]:
    # By content, not by suffix: a float TIFF that a viewer saved again as PNG may have kept its name.
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
    try:
        array = parse_npy(content, path, MAX_FILE_BYTES)  # as large as the file, which is read already
    except LoadError as error:
        raise MapError(path, f"{error.problem}; save a float32 array") from error
    _check_pixels(array.size, path)
    return array


def _picture(content: bytes, path: Path) -> NDArray[np.generic]:
    from PIL import Image, ImageOps

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pillow only warns about size; `_check_pixels` refuses
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


def write_map(path: Path | str, values: NDArray[np.floating]) -> None:
    """Write float32 values as ``.tif``, ``.tiff`` or ``.npy``, which store them exactly.

    Args:
        path: The file to write.
        values: H×W or H×W×3.

    Raises:
        MapError: Values that are not finite, or another suffix.
        WriteError: The file cannot be written.
    """
    write_bytes(path, encode_map(values, Path(path)))


def encode_map(values: NDArray[np.floating], path: Path) -> bytes:
    """The bytes that `write_map` writes to ``path``."""
    exact = as_map(np.asarray(values, dtype=np.float32), path).values
    stream = BytesIO()
    if path.suffix.lower() in (".tif", ".tiff"):
        import tifffile  # of the `maps` extra

        tifffile.imwrite(stream, exact, photometric="rgb" if exact.ndim == 3 else "minisblack", metadata=None)
    elif path.suffix.lower() == ".npy":
        np.save(stream, exact, allow_pickle=False)
    else:
        raise MapError(path, "maps are written as .tif, .tiff or .npy, which store float32 exactly")
    return stream.getvalue()
