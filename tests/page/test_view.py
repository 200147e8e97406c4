"""A scan is turned and straightened, and every point of the upright sheet leads back to the scan."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.page.view import WHOLE_SCAN, View


def picture() -> np.ndarray:
    image = np.full((60, 100, 3), 255, np.uint8)
    image[12, 30] = 0
    return image


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_turned_point_leads_back_to_the_scan(degrees):
    view = View(degrees, scan=(100, 60))
    turned = view.apply(picture())
    assert turned.shape[1::-1] == view.size
    (y,), (x,) = np.nonzero(turned[..., 0] == 0)
    assert view.to_scan(np.array([[x, y]], float)).tolist() == [[30, 12]]


def test_a_slanted_sheet_becomes_a_rectangle_and_its_corners_lead_back():
    corners = ((10.0, 5.0), (90.0, 8.0), (88.0, 55.0), (12.0, 50.0))
    view = View(0, corners, (100, 60))
    width, height = view.size
    assert view.apply(picture()).shape == (height, width, 3)
    edges = np.array([[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]], float)
    assert view.to_scan(edges) == pytest.approx(np.array(corners), abs=0.01)


def test_a_view_survives_its_record():
    for view in (WHOLE_SCAN, View(90, scan=(3, 4)), View(0, ((0, 0), (9, 0), (9, 9), (0, 9)), (20, 20))):
        assert View.from_record(view.record()) == view


def test_only_quarter_turns_are_allowed():
    with pytest.raises(ValueError, match="not 45"):
        View(45)
