"""From a score to a likelihood ratio: calibrated, bounded, with an interval, and measured."""

from handshift.evidence.lr.calibration import METHODS, Calibration, Method, fit_calibration
from handshift.evidence.lr.labelled import CalibrationError, Labelled

__all__ = ["METHODS", "Calibration", "CalibrationError", "Labelled", "Method", "fit_calibration"]
