"""Detectors that are fitted in closed form: PatchCore, PaDiM, PCA, and statistics of the map's own pixels."""

from handshift.healthmap.baselines.by_domain import ByDomain, LocatingDetector
from handshift.healthmap.baselines.feature_detector import FeatureDetector
from handshift.healthmap.baselines.mean_level import MeanLevel
from handshift.healthmap.baselines.padim import Padim
from handshift.healthmap.baselines.patchcore import PatchCore
from handshift.healthmap.baselines.pca import FeaturePca, ShiftInvariantPca
from handshift.healthmap.baselines.pixel_detector import PixelDetector
from handshift.healthmap.baselines.row_column import RowColumn
from handshift.healthmap.baselines.row_covariance import RowCovariance
from handshift.healthmap.baselines.row_levels import RowLevels

FEATURE_DETECTORS: dict[str, type[FeatureDetector]] = {
    "patchcore": PatchCore,
    "padim": Padim,
    "pca": FeaturePca,
}
"""Detectors on the features of an encoder."""
MAP_DETECTORS: dict[str, type[LocatingDetector]] = {
    "row-column": RowColumn,
    "row-covariance": RowCovariance,
}
"""Detectors of `handshift maps train` that need no encoder."""
PIXEL_DETECTORS: dict[str, type[PixelDetector]] = {
    "shift-invariant-pca": ShiftInvariantPca,
    "mean-level": MeanLevel,
    "row-levels": RowLevels,
    **MAP_DETECTORS,
}
"""Detectors on the maps themselves, (N, H, W)."""

__all__ = [
    "FEATURE_DETECTORS",
    "MAP_DETECTORS",
    "PIXEL_DETECTORS",
    "ByDomain",
    "FeatureDetector",
    "FeaturePca",
    "LocatingDetector",
    "MeanLevel",
    "Padim",
    "PatchCore",
    "PixelDetector",
    "RowColumn",
    "RowCovariance",
    "RowLevels",
    "ShiftInvariantPca",
]
