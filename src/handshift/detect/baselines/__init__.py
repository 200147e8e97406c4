"""Scores that nothing was fitted for: what every learned detector must pass."""

from handshift.detect.baselines.eigenvalue_gap import EigenvalueGap
from handshift.detect.baselines.leave_one_out_cosine import LeaveOneOutCosine
from handshift.detect.baselines.mean_cosine import MeanCosine
from handshift.detect.baselines.window_cosine import WindowCosine
from handshift.detect.interface import Detector

BASELINES: dict[str, Detector] = {
    "mean-cosine": MeanCosine(),
    "window-cosine": WindowCosine(),
    "leave-one-out-cosine": LeaveOneOutCosine(),
    "eigenvalue-gap": EigenvalueGap(),
}

__all__ = ["BASELINES", "EigenvalueGap", "LeaveOneOutCosine", "MeanCosine", "WindowCosine"]
