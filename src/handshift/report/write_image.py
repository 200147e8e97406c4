"""Pictures of a report as files, for typst."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray


def write_image(path: Path, rgb: NDArray[np.uint8]) -> None:
    """Write RGB pixels in the format that the file's suffix names."""
    done, encoded = cv2.imencode(path.suffix, rgb[:, :, ::-1])
    if not done:
        raise ValueError(f"a picture of {rgb.shape} cannot be encoded as {path.suffix}")
    path.write_bytes(encoded.tobytes())
