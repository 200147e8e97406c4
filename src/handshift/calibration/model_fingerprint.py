"""Fingerprint of a model: a digest of every file that determines its scores."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from handshift.calibration.labelled_scores import CalibrationError
from handshift.core.errors import HandshiftError
from handshift.core.loaders import read_json_object
from handshift.embedding.crops.scaling import Scaling, scaling_of

SCORING = ("words.onnx", "covariances.npz", "combination.json", "relation-net.onnx")
"""The files of a model folder that are hashed, where present; the cropping manner is hashed too."""
FIELD = "seal"
"""The field of a calibration's JSON that holds the fingerprint."""

Calibration = TypeVar("Calibration")


def scoring_fingerprint(folder: Path) -> str:
    """SHA-256 over the scoring files; changes when a score may change. Empty without any such file."""
    sha = hashlib.sha256()
    parts = [folder / name for name in SCORING if (folder / name).is_file()]
    scaling = Scaling.SHEET
    for part in parts:
        content = part.read_bytes()
        sha.update(part.name.encode())
        sha.update(hashlib.sha256(content).digest())
        if part.name == SCORING[0]:
            scaling = scaling_of(content)
    sha.update(scaling.crop_format.encode())
    return sha.hexdigest() if parts else ""


def load_calibration(path: Path, what: str, parse: Callable[[dict[str, Any]], Calibration]) -> Calibration:
    """Read a calibration that was made for the scoring files beside it.

    Args:
        path: The JSON file.
        what: What it should be, for the message: "a calibration".
        parse: Makes the calibration of the file's content.

    Raises:
        HandshiftError: The file is no such calibration.
        CalibrationError: It was made for another model than the one beside it.
    """
    try:
        content = read_json_object(path, what)
        fingerprint, calibration = str(content[FIELD]), parse(content)
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
        raise HandshiftError(f"{path}: not {what} ({error})") from error
    require_fingerprint(fingerprint, path)
    return calibration


def require_fingerprint(fingerprint: str, path: Path) -> None:
    """Check that a calibration was made for the scoring files beside it.

    Raises:
        CalibrationError: the fingerprints differ.
    """
    found = scoring_fingerprint(path.parent)
    if fingerprint != found:
        raise CalibrationError(
            f"{path}: made for another model (fingerprint {fingerprint[:12] or 'missing'}, but the files "
            f"beside it have {found[:12] or 'none'}); scores of one model have no meaning in "
            "another's calibration. Run `handshift calibrate` for this model."
        )
