"""The unit of a data set, where none is given: standardised where both axes are teeth."""

from __future__ import annotations

from pathlib import Path

from handshift.core.loaders import LoadError, read_json_object
from handshift.healthmap.dataset import MapProfile
from handshift.healthmap.dataset.dataset_folder import ABOUT
from handshift.healthmap.health_map import MapKind
from handshift.healthmap.units import Unit

AXES = "axes"
"""Field of about.json: what rows and columns are."""
TOOTH_BY_TOOTH = ["planet tooth", "ring tooth"]


def default_unit(root: Path, profile: MapProfile) -> Unit:
    """Choose the unit by the axes that the data set names.

    On tooth × tooth maps a broken tooth raises part of a row or column, and standardised maps are the better
    ones for every detector, kind and size of fault that was tried. Where columns are turns, or rows are order
    bands, a fault raises a whole row: standardisation would remove it, so the unit is ``domain``.

    Args:
        root: Folder of the data set.
        profile: Of its training maps.

    Returns:
        ``standard`` for tooth × tooth maps, ``domain`` for all others.
    """
    if profile.kind is not MapKind.FLOAT or profile.size is None or not (root / ABOUT).is_file():
        return "domain"
    try:
        axes = read_json_object(root / ABOUT).get(AXES)
    except LoadError:  # a file of that name which is not ours
        return "domain"
    return "standard" if axes == TOOTH_BY_TOOTH else "domain"
