"""Which model a calibration belongs to: a digest of every file that decides a score."""

from __future__ import annotations

import hashlib
from pathlib import Path

from handshift.calibration.labelled_scores import CalibrationError
from handshift.embedding.crops.word_crop import MANNER

SCORING = ("words.onnx", "covariances.npz", "combination.json", "relation-net.onnx")
"""Those that a model folder has of these; how words are read and drawn counts too."""


def scoring_fingerprint(folder: Path) -> str:
    """Changes when a score may change; empty where there is nothing to score with."""
    sha = hashlib.sha256()
    parts = [folder / name for name in SCORING if (folder / name).is_file()]
    for part in parts:
        sha.update(part.name.encode())
        sha.update(hashlib.sha256(part.read_bytes()).digest())
    sha.update(MANNER.encode())
    return sha.hexdigest() if parts else ""


def require_fingerprint(seal: str, path: Path) -> None:
    """Refuse a calibration that was made for other files than those beside it."""
    found = scoring_fingerprint(path.parent)
    if seal != found:
        raise CalibrationError(
            f"{path}: made for another model (sealed {seal[:12] or 'never'}, the files beside it are "
            f"{found[:12] or 'missing'}); a score must not be read with another model's calibration. "
            "Run `handshift calibrate` for this model."
        )
