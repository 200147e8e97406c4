"""Detectors: from the word vectors of one bag to a score for more than one hand.

`plda` holds the PLDA model and its likelihood ratios, `partition` the partition likelihood ratio,
`baselines` unfitted cosine scores, `mil` trained multiple-instance networks, `combination` the default
detector, and `train` the training of networks. PLDA by itself:

    >>> import numpy as np
    >>> from handshift.detect import PartitionRatio, fit_plda
    >>> rng = np.random.default_rng(0)
    >>> writer, session = np.repeat(np.arange(20), 30).astype(str), np.tile(np.repeat([0, 1], 15), 20)
    >>> words = np.repeat(rng.normal(size=(20, 8)), 30, axis=0) + rng.normal(size=(600, 8))
    >>> detector = PartitionRatio(fit_plda(words, writer, session, dimensions=4))
    >>> two_hands = detector.score(words[[0, 1, 2, 3, 4, 30, 31, 32, 33, 34]])
    >>> bool(two_hands.score > detector.score(words[:10]).score)
    True
"""

from handshift.detect.baselines import BASELINES
from handshift.detect.combination import Combination
from handshift.detect.detector import BagScore, Detector
from handshift.detect.leave_one_out import LeaveOneOutEvidence
from handshift.detect.partition.partition_ratio import PartitionRatio
from handshift.detect.plda import Plda, fit_plda, log_ratios
from handshift.detect.score_bags import score_bags

__all__ = [
    "BASELINES",
    "BagScore",
    "Combination",
    "Detector",
    "LeaveOneOutEvidence",
    "PartitionRatio",
    "Plda",
    "fit_plda",
    "log_ratios",
    "score_bags",
]
