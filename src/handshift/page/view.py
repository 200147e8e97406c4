"""`View`: how a scan becomes the upright sheet that is examined, and how to find the way back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import cv2
import numpy as np
from numpy.typing import NDArray

Corner = tuple[float, float]
Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class View:
    """A quarter turn, and the sheet's corners where the scan shows more than the sheet."""

    turned: int = 0
    """Degrees clockwise by which the scan is turned until its writing is upright: 0, 90, 180 or 270."""
    sheet: tuple[Corner, Corner, Corner, Corner] | None = None
    """Corners (x, y) in pixels of the scan, clockwise from the upper left one of the upright sheet."""
    scan: tuple[int, int] = (0, 0)
    """Width and height of the scan; 0 where the scan is examined as it is."""

    def __post_init__(self) -> None:
        if self.turned not in (0, 90, 180, 270):
            raise ValueError(f"a scan is turned by 0, 90, 180 or 270 degrees, not {self.turned}")

    @property
    def is_whole_scan(self) -> bool:
        """Whether the scan is examined as it is."""
        return self.turned == 0 and self.sheet is None

    def apply(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The upright sheet, height × width × 3; the image itself where nothing is to be done."""
        if self.sheet is None:
            turned = np.rot90(image, -(self.turned // 90))
            return np.ascontiguousarray(turned) if self.turned else image
        width, height = self.size
        return np.asarray(
            cv2.warpPerspective(
                image,
                self._to_page(),
                (width, height),
                flags=cv2.INTER_LINEAR,
                borderMode=cv2.BORDER_REPLICATE,
            ),
            np.uint8,
        )

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the upright sheet."""
        if self.sheet is None:
            return (self.scan[1], self.scan[0]) if self.turned % 180 else self.scan
        corner = np.array(self.sheet)
        sides = np.linalg.norm(np.roll(corner, -1, axis=0) - corner, axis=1)  # top, right, bottom, left
        return max(1, round(float(sides[0::2].mean()))), max(1, round(float(sides[1::2].mean())))

    def to_scan(self, points: Points) -> Points:
        """Points (n, 2) of the upright sheet, x and y, in pixels of the scan."""
        points = np.asarray(points, np.float64)
        if self.sheet is not None:
            back = np.linalg.inv(self._to_page())
            return np.asarray(cv2.perspectiveTransform(points[None], back)[0], np.float64)
        width, height = self.scan
        x, y = points[:, 0], points[:, 1]
        turned = {
            0: (x, y),
            90: (y, height - 1 - x),
            180: (width - 1 - x, height - 1 - y),
            270: (width - 1 - y, x),
        }[self.turned]
        return np.stack(turned, axis=1)

    def record(self) -> dict[str, Any]:
        """As plain data."""
        sheet = [[round(x, 2), round(y, 2)] for x, y in self.sheet] if self.sheet else None
        return {"turned": self.turned, "sheet": sheet, "scan": list(self.scan)}

    @classmethod
    def from_record(cls, record: dict[str, Any] | None) -> View:
        """What `record` gave; the whole scan where there is none, as in findings of earlier versions."""
        if not record:
            return cls()
        width, height = map(int, record["scan"])
        corners = tuple((float(x), float(y)) for x, y in record["sheet"] or ())
        if len(corners) not in (0, 4):
            raise ValueError(f"a sheet has four corners, not {len(corners)}")
        sheet = cast("tuple[Corner, Corner, Corner, Corner]", corners) if corners else None
        return cls(int(record["turned"]), sheet, (width, height))

    def _to_page(self) -> NDArray[np.float64]:
        """(3, 3) homography from the scan to the upright sheet."""
        width, height = self.size
        corners = np.array([[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]], np.float32)
        there = cv2.getPerspectiveTransform(np.array(self.sheet, np.float32), corners)
        return np.asarray(there, np.float64)


WHOLE_SCAN = View()
"""The scan as it is."""
