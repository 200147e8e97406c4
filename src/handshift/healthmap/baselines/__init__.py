"""Detectors that are fitted, not trained: what Dinomaly must beat."""

from handshift.healthmap.baselines.fitted import Fitted, PixelDetector
from handshift.healthmap.baselines.mean_level import MeanLevel
from handshift.healthmap.baselines.padim import Padim
from handshift.healthmap.baselines.patchcore import PatchCore
from handshift.healthmap.baselines.pca import FeaturePca, ShiftInvariantPca
from handshift.healthmap.baselines.row_column import RowColumn
from handshift.healthmap.baselines.row_levels import RowLevels

FITTED: dict[str, type[Fitted]] = {"patchcore": PatchCore, "padim": Padim, "pca": FeaturePca}
"""On the features of an encoder."""
ON_PIXELS: dict[str, type[PixelDetector]] = {
    "shift-invariant-pca": ShiftInvariantPca,
    "row-column": RowColumn,
    "mean-level": MeanLevel,
    "row-levels": RowLevels,
}
"""On the maps themselves, (N, H, W)."""

__all__ = [
    "FITTED",
    "ON_PIXELS",
    "FeaturePca",
    "MeanLevel",
    "Padim",
    "PatchCore",
    "RowColumn",
    "RowLevels",
    "ShiftInvariantPca",
]
