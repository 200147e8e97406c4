"""Many labelled maps: which are normal, which are not, of which domain, and what they have in common."""

from handshift.healthmap.dataset.dataset import MapDataset, MapItem
from handshift.healthmap.dataset.layouts import read_dataset
from handshift.healthmap.dataset.loading import framed, maps_of, survey
from handshift.healthmap.dataset.profile import MapProfile

__all__ = ["MapDataset", "MapItem", "MapProfile", "framed", "maps_of", "read_dataset", "survey"]
