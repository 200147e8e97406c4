"""Fits how the size of writing varies for a model that is calibrated already."""

from __future__ import annotations

from pathlib import Path

from handshift.calibration.calibrate_size import calibrate_size
from handshift.calibration.calibration_data import CalibrationData
from handshift.calibration.pair_calibration import PairCalibration
from handshift.core.errors import HandshiftError
from handshift.models.shipped_models import NETWORK, find_model
from handshift.pipeline.calibration_words import CalibrationWords


def fit_size(model: str, vectors: Path) -> PairCalibration:
    """Fit the model of sizes; all else of the calibration stays as it is.

    Args:
        model: A model's id or folder.
        vectors: Words of databases embedded by its network, with their sizes.

    Returns:
        The calibration of comparisons with the model of sizes, not saved.

    Raises:
        HandshiftError: The vectors are another network's, or too few writers have a known size.
    """
    shipped = find_model(model)
    source = CalibrationWords.of_databases(shipped.folder / NETWORK, vectors)
    pairs = shipped.comparison()
    data = CalibrationData(
        source.table,
        source.table.vectors,
        source.writers,
        shipped.card.id,
        pairs.propositions.population,
        sizes=source.table.size,
    )
    found = calibrate_size(data, pairs)
    if found.size is None:
        raise HandshiftError(f"{vectors}: the size of the writing is not known, or does not help")
    return found
