"""Loading the maps of a data set: reading, checking against the training profile, resizing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from handshift.healthmap.dataset.map_dataset import MapItem
from handshift.healthmap.dataset.map_profile import MapProfile, ValueRange
from handshift.healthmap.health_map import Floats, HealthMap, read_map
from handshift.healthmap.resizing import Resizing

log = logging.getLogger(__name__)
Advance = Callable[[], object]
"""Called after each map, to move a progress bar."""
ToPicture = Callable[[Floats, str, Resizing], Floats]
"""(planes, domain, resizing) → the scaled and resized map."""


def iterate_maps(items: Sequence[MapItem], advance: Advance | None = None) -> Iterator[tuple[str, HealthMap]]:
    """Read the maps in order; yields each with its domain."""
    for item in items:
        yield item.domain, read_map(item.path)
        if advance is not None:
            advance()


def profile_maps(items: Sequence[MapItem], advance: Advance | None = None) -> MapProfile:
    """Profile of the training maps; the value range of each domain is logged.

    Args:
        items: Training maps.
        advance: Called after each map, to move a progress bar.

    Returns:
        Their kind, size and value ranges.

    Raises:
        MapError: A map cannot be read, or the maps differ in kind or channels.
    """
    profile = MapProfile.fit(iterate_maps(items, advance))
    for domain, range_ in profile.ranges.items():
        log.info("domain %s: training values %s", domain, range_)
    return profile


def load_resized(
    items: Sequence[MapItem],
    resizing: Resizing,
    profile: MapProfile,
    advance: Advance | None = None,
    picture: ToPicture | None = None,
) -> Floats:
    """Read, check and resize maps; without ``picture`` values are those of the files.

    Value ranges are logged beside those of training; a domain whose maps lie out of range is logged as one
    warning.

    Args:
        items: The maps.
        resizing: To the frame of the encoder.
        profile: Of the training maps.
        advance: Called after each map, to move a progress bar.
        picture: Scales and resizes one map.

    Returns:
        float32 (maps, channels, *frame).

    Raises:
        MapError: A map cannot be read or does not match the profile.
    """
    pixels = np.empty((len(items), profile.channels, *resizing.frame), np.float32)
    ranges: dict[str, ValueRange] = {}
    out_of_range: dict[str, list[str]] = {}
    for at, (domain, map_) in enumerate(iterate_maps(items, advance)):
        profile.check(map_)
        pixels[at] = picture(map_.planes, domain, resizing) if picture else resizing.apply(map_.planes)
        ranges[domain] = ranges.get(domain, ValueRange()).including(map_)
        if warning := profile.warning(map_, domain):
            out_of_range.setdefault(domain, []).append(f"{map_.path.name}: {warning}")
    for domain, range_ in ranges.items():
        log.info("domain %s: values %s, in training %s", domain, range_, profile.range_of(domain))
        if found := out_of_range.get(domain):
            log.warning("domain %s: %d maps out of range, the first %s", domain, len(found), found[0])
    return pixels
