"""Learned detectors: networks that are shown whole bags and told only whether several hands wrote them."""

from handshift.detect.mil.ab_mil import AbMil, GatedAbMil
from handshift.detect.mil.clam import ClamSb
from handshift.detect.mil.ds_mil import DsMil
from handshift.detect.mil.evidence_net import EvidenceNet
from handshift.detect.mil.model import MeanPool, MilModel, Output
from handshift.detect.mil.multi_scale import MultiScale
from handshift.detect.mil.relation_net import RelationNet
from handshift.detect.mil.set_transformer import SetTransformer
from handshift.detect.mil.trans_mil import TransMil

MODELS: dict[str, type[MilModel]] = {
    "mean-pool": MeanPool,
    "ab-mil": AbMil,
    "gated-ab-mil": GatedAbMil,
    "ds-mil": DsMil,
    "clam-sb": ClamSb,
    "trans-mil": TransMil,
    "multi-scale": MultiScale,
    "relation-net": RelationNet,
    "set-transformer": SetTransformer,
    "evidence-net": EvidenceNet,
}

__all__ = [
    "MODELS",
    "AbMil",
    "ClamSb",
    "DsMil",
    "EvidenceNet",
    "GatedAbMil",
    "MeanPool",
    "MilModel",
    "MultiScale",
    "Output",
    "RelationNet",
    "SetTransformer",
    "TransMil",
]
