"""The unit of a data set, where none is given: by what the rows and columns of its maps are."""

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
TURN_BY_TURN: Unit = "map"
"""Where columns are turns. A fault raises a whole row, which standardisation would remove; and recordings
differ in level by more than the fault does. PatchCore on the real gearbox, orders × ten turns, mean of four
sensors: same load .998 in units of the map, .938 of the domain, .301 standardised; load held out .819, .546,
.574."""


def default_unit(root: Path, profile: MapProfile) -> Unit:
    """Choose the unit by the axes that the data set names.

    On tooth × tooth maps a broken tooth raises part of a row or column, and standardised maps are the better
    ones for every detector, kind and size of fault that was tried.

    Args:
        root: Folder of the data set.
        profile: Of its training maps.

    Returns:
        ``standard`` for tooth × tooth maps, ``map`` where columns are turns, ``domain`` if nothing is known.
    """
    if profile.kind is not MapKind.FLOAT or profile.size is None or not (root / ABOUT).is_file():
        return "domain"
    try:
        axes = read_json_object(root / ABOUT).get(AXES)
    except LoadError:  # a file of that name which is not ours
        return "domain"
    if axes == TOOTH_BY_TOOTH:
        return "standard"
    return TURN_BY_TURN if isinstance(axes, list) and axes[-1:] == ["turn"] else "domain"
