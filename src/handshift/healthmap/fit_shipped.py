"""Fit a detector to the normal maps of one machine with the shipped encoder, without torch.

The folder it writes is that of `handshift maps train --detector patchcore`: PatchCore on the encoder's
features, thresholds from held-out normal maps.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from handshift.core.errors import HandshiftError
from handshift.core.onnx_session import OnnxSession
from handshift.healthmap.baselines.patchcore import PatchCore
from handshift.healthmap.dataset import MapProfile, validation_mask
from handshift.healthmap.detectors import PATCHCORE
from handshift.healthmap.framing import resizing_for
from handshift.healthmap.health_map import Floats, HealthMap, MapKind
from handshift.healthmap.scoring import Scoring
from handshift.healthmap.standardisation import Standardisation
from handshift.healthmap.thresholds import Thresholds
from handshift.healthmap.trained_model import ENCODER, ModelFile, TrainedModel
from handshift.healthmap.units import MapScaling, Unit
from handshift.models.shipped_models import MODELS_FOLDER

SHIPPED, GRID, PATCH = "maps-1", (8, 12), 8
"""The shipped encoder, and the rows and columns of patches for which it was exported."""
FEWEST = 6
"""Normal maps of a domain: with fewer, none is left to set a threshold on."""
VALIDATION_SHARE = 0.25
"""Held out for the thresholds; more than in a data set of hundreds, because so few maps carry them."""


def fit_shipped(
    maps: Mapping[str, Sequence[HealthMap]],
    out: Path,
    target: float = 0.01,
    unit: Unit = "standard",
    advance: Callable[[], object] = lambda: None,
) -> TrainedModel:
    """Fit PatchCore to normal maps and set its thresholds.

    Args:
        maps: Normal maps of each domain, in order of time.
        out: Folder for the model; replaced if it exists.
        target: Share of normal maps that may be flagged.
        unit: Scaling of float maps. ``standard`` for tooth × tooth maps, on which a broken tooth raises part
            of a row; where columns are turns it raises all of it, which standardisation would remove.
        advance: Called after every map, to move a progress bar.

    Returns:
        The model, loaded from ``out``.

    Raises:
        HandshiftError: A domain has too few maps, or they are colour pictures.
        MapError: The maps differ in kind, channels or size.
    """
    for domain, own in maps.items():
        if len(own) < FEWEST:
            raise HandshiftError(
                f"{len(own)} normal maps of {domain} are too few to learn from; {FEWEST} are needed, "
                f"and {round(1 / target / VALIDATION_SHARE)} for {target:.0%} false alarms"
            )
    train: list[tuple[str, HealthMap]] = []
    validation: list[tuple[str, HealthMap]] = []
    for domain, own in maps.items():
        for map_, held_out in zip(own, validation_mask(len(own), VALIDATION_SHARE), strict=True):
            (validation if held_out else train).append((domain, map_))
    profile = MapProfile.fit(train)
    if profile.channels != 1:
        raise HandshiftError("colour pictures: the shipped encoder takes maps of one channel")
    scaling = _scaling(profile, train, unit)
    resizing = resizing_for(profile, GRID, PATCH)
    encoder = OnnxSession(MODELS_FOLDER / SHIPPED / ENCODER, spin=False)

    def features(part: Sequence[tuple[str, HealthMap]]) -> Floats:
        found = []
        for domain, map_ in part:
            profile.check(map_)
            found.append(encoder(scaling.picture(map_.planes, domain, resizing)[None])[0])
            advance()
        return np.asarray(found, np.float32)

    detector = PatchCore.fit(features(train))
    scoring = Scoring()
    distances = detector.batched_distances(features(validation))
    scores = scoring.scores(scoring.anomaly_maps(distances, GRID, resizing))
    domains = [domain for domain, _ in validation]
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    shutil.copyfile(MODELS_FOLDER / SHIPPED / ENCODER, out / ENCODER)
    detector.save(out / f"{PATCHCORE}.npz")
    fitted = scaling.standardisation
    if fitted is not None:
        fitted.save(out)
    metadata = ModelFile(
        written_by="handshift serve",
        detector=PATCHCORE,
        encoder=SHIPPED,
        encoder_fingerprint=encoder.sha256[:16],
        grid=GRID,
        resizing=resizing,
        unit=scaling.unit,
        profile=profile,
        scoring=scoring,
        thresholds=Thresholds.fit(scores, domains, target),
        maps=dict(Counter(domain for domain, _ in train)),
        standardisation=fitted.fingerprint() if fitted else "",
        validation_scores={
            name: tuple(float(score) for score, own in zip(scores, domains, strict=True) if own == name)
            for name in maps
        },
    )
    TrainedModel(out, metadata).save()
    return TrainedModel.load(out)


def _scaling(profile: MapProfile, train: Sequence[tuple[str, HealthMap]], unit: Unit) -> MapScaling:
    """Pictures of 8 or 16 bits are taken as they are."""
    if profile.kind is not MapKind.FLOAT:
        return MapScaling("raw", profile)
    return MapScaling(unit, profile, Standardisation.fit(train) if unit == "standard" else None)
