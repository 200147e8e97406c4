"""A map becomes a file that holds exactly its values."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.atomic import write_bytes
from handshift.healthmap.error import MapError
from handshift.healthmap.maps.health_map import as_map


def write_map(path: Path | str, values: NDArray[np.floating]) -> None:
    """Write float32 as ``.tif``, ``.tiff`` or ``.npy``; no format that would round is offered."""
    write_bytes(path, encoded(values, Path(path)))


def encoded(values: NDArray[np.floating], path: Path) -> bytes:
    """What `write_map` would write to ``path``."""
    exact = as_map(np.asarray(values, dtype=np.float32), path).values
    stream = BytesIO()
    if path.suffix.lower() in (".tif", ".tiff"):
        import tifffile  # of the `maps` extra

        tifffile.imwrite(stream, exact, photometric="rgb" if exact.ndim == 3 else "minisblack", metadata=None)
    elif path.suffix.lower() == ".npy":
        np.save(stream, exact, allow_pickle=False)
    else:
        raise MapError(path, "maps are written as .tif, .tiff or .npy, which keep float32 as it is")
    return stream.getvalue()
