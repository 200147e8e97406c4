"""Items become pixels, checked one by one on the way."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from handshift.healthmap.dataset.dataset import MapItem
from handshift.healthmap.dataset.profile import MapProfile, ValueRange
from handshift.healthmap.maps import Floats, HealthMap, read_map
from handshift.healthmap.resizing import Resizing

log = logging.getLogger(__name__)
Advance = Callable[[], object]
"""Called after each map, to move a progress bar."""


def maps_of(items: Sequence[MapItem], advance: Advance | None = None) -> Iterator[tuple[str, HealthMap]]:
    """Read maps in order, each with its domain."""
    for item in items:
        yield item.domain, read_map(item.path)
        if advance is not None:
            advance()


def survey(items: Sequence[MapItem], advance: Advance | None = None) -> MapProfile:
    """Profile of the maps to train on; the value range of each domain is logged."""
    profile = MapProfile.of(maps_of(items, advance))
    for domain, range_ in profile.ranges.items():
        log.info("domain %s: training values %s", domain, range_)
    return profile


def framed(
    items: Sequence[MapItem], resizing: Resizing, profile: MapProfile, advance: Advance | None = None
) -> Floats:
    """Read, check and resize: float32 (maps, channels, *frame), values as in the files.

    Value ranges are logged beside those of training, and a domain that has left them is warned of, once.
    """
    pixels = np.empty((len(items), profile.channels, *resizing.frame), np.float32)
    ranges: dict[str, ValueRange] = {}
    strange: dict[str, list[str]] = {}
    for at, (domain, map_) in enumerate(maps_of(items, advance)):
        profile.check(map_)
        pixels[at] = resizing.apply(map_.planes)
        ranges[domain] = ranges.get(domain, ValueRange()).including(map_)
        if warning := profile.warning(map_, domain):
            strange.setdefault(domain, []).append(f"{map_.path.name}: {warning}")
    for domain, range_ in ranges.items():
        log.info("domain %s: values %s, in training %s", domain, range_, profile.range_of(domain))
        if found := strange.get(domain):
            log.warning("domain %s: %d maps out of range, the first %s", domain, len(found), found[0])
    return pixels
