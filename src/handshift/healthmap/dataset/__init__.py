"""Data sets of labelled maps: reading, validation split, profile of the training maps, writing."""

from handshift.healthmap.dataset.layouts import is_dataset, read_dataset
from handshift.healthmap.dataset.load_maps import iterate_maps, load_resized, profile_maps
from handshift.healthmap.dataset.map_dataset import MapDataset, MapItem, validation_mask
from handshift.healthmap.dataset.map_profile import MapProfile

__all__ = [
    "MapDataset",
    "MapItem",
    "MapProfile",
    "is_dataset",
    "iterate_maps",
    "load_resized",
    "profile_maps",
    "read_dataset",
    "validation_mask",
]
