"""From a score to a likelihood ratio: calibrated, bounded, with an interval, and measured."""

from handshift.calibration.calibration import METHODS, Calibration, Method, fit_calibration
from handshift.calibration.labelled_scores import CalibrationError, Labelled

__all__ = ["METHODS", "Calibration", "CalibrationError", "Labelled", "Method", "fit_calibration"]
