"""One map, in and out of a file, with every bit of its values."""

from handshift.healthmap.maps.health_map import Floats, HealthMap, MapKind
from handshift.healthmap.maps.reading import MAP_SUFFIXES, read_map
from handshift.healthmap.maps.writing import write_map

__all__ = ["MAP_SUFFIXES", "Floats", "HealthMap", "MapKind", "read_map", "write_map"]
