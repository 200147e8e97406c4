"""From a score to a likelihood ratio: calibrated, bounded, with an interval, and measured."""

from handshift.calibration.calibration import METHODS, Calibration, Method, fit_calibration
from handshift.calibration.labelled_scores import CalibrationError, LabelledScores

__all__ = ["METHODS", "Calibration", "CalibrationError", "LabelledScores", "Method", "fit_calibration"]
