"""Whether a file holds a map or a recording, by its content."""

from __future__ import annotations

from pathlib import Path

from handshift.core.errors import MapError
from handshift.core.loaders import LoadError, map_npy

PICTURES = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+", b"\x89PNG", b"\xff\xd8\xff")
LARGEST_SIDE = 4096
"""Of a map; a longer array is a recording."""
SMALLEST_SIDE = 8


def is_map_file(path: Path) -> bool:
    """Tell a map (float TIFF, PNG, JPEG, an array of rows × columns) from a recording.

    An ``.npy`` can be either: one with both sides from 8 to 4,096 is a map, for a recording is longer and has
    few sensors.

    Raises:
        MapError: The file cannot be read.
    """
    try:
        with path.open("rb") as file:
            head = file.read(8)
        if head.startswith(PICTURES):
            return True
        if not head.startswith(b"\x93NUMPY"):
            return False
        shape = map_npy(path).shape
    except (OSError, LoadError) as error:
        raise MapError(path, f"cannot be read ({error})") from error
    return len(shape) in (2, 3) and min(shape[:2]) >= SMALLEST_SIDE and max(shape[:2]) <= LARGEST_SIDE
