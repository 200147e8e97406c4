"""Detectors that are fitted in closed form: PatchCore, PaDiM, PCA, and statistics of the map's own pixels."""

from handshift.healthmap.baselines.feature_detector import FeatureDetector
from handshift.healthmap.baselines.mean_level import MeanLevel
from handshift.healthmap.baselines.padim import Padim
from handshift.healthmap.baselines.patchcore import PatchCore
from handshift.healthmap.baselines.pca import FeaturePca, ShiftInvariantPca
from handshift.healthmap.baselines.pixel_detector import PixelDetector
from handshift.healthmap.baselines.row_column import RowColumn, RowColumnByDomain
from handshift.healthmap.baselines.row_covariance import RowCovariance
from handshift.healthmap.baselines.row_levels import RowLevels

FEATURE_DETECTORS: dict[str, type[FeatureDetector]] = {
    "patchcore": PatchCore,
    "padim": Padim,
    "pca": FeaturePca,
}
"""Detectors on the features of an encoder."""
PIXEL_DETECTORS: dict[str, type[PixelDetector]] = {
    "shift-invariant-pca": ShiftInvariantPca,
    "row-column": RowColumn,
    "mean-level": MeanLevel,
    "row-levels": RowLevels,
    "row-covariance": RowCovariance,
}
"""Detectors on the maps themselves, (N, H, W)."""

__all__ = [
    "FEATURE_DETECTORS",
    "PIXEL_DETECTORS",
    "FeatureDetector",
    "FeaturePca",
    "MeanLevel",
    "Padim",
    "PatchCore",
    "PixelDetector",
    "RowColumn",
    "RowColumnByDomain",
    "RowCovariance",
    "RowLevels",
    "ShiftInvariantPca",
]
