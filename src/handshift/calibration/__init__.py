"""Calibration: from a detector's score to a bounded likelihood ratio with an interval.

`fit_calibration` fits a curve (two-slope, logistic, isotonic/PAV or kernel density), bounds it by ELUB, and
bootstraps over writers:

    >>> import numpy as np
    >>> from handshift.calibration import LabelledScores, Method, fit_calibration
    >>> rng = np.random.default_rng(0)
    >>> known = LabelledScores.of(rng.normal(1, 1, 200), rng.normal(-1, 1, 200))
    >>> calibration = fit_calibration(known, Method.logistic)
    >>> bool(calibration.log10_lr(2.0) > 1)
    True
"""

from handshift.calibration.calibration import METHODS, Calibration, Method, fit_calibration
from handshift.calibration.labelled_scores import CalibrationError, LabelledScores

__all__ = ["METHODS", "Calibration", "CalibrationError", "LabelledScores", "Method", "fit_calibration"]
