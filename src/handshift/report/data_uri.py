"""Images embedded in the HTML: a report is one file and loads nothing from the network."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray


def data_uri(rgb: NDArray[np.uint8], kind: str, settings: Sequence[int] = ()) -> str:
    """Encode RGB pixels as ``jpeg`` or ``png`` in a data: address."""
    done, encoded = cv2.imencode(f".{kind}", rgb[:, :, ::-1], list(settings))
    if not done:
        raise ValueError(f"a picture of {rgb.shape} cannot be encoded as {kind}")
    return f"data:image/{kind};base64,{b64encode(encoded.tobytes()).decode('ascii')}"


def hex_colour(rgb: tuple[int, int, int]) -> str:
    """Write a colour as CSS does, #rrggbb."""
    return "#{:02x}{:02x}{:02x}".format(*rgb)
