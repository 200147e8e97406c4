"""Multiple-instance learning (MIL) networks on bags of words, trained from bag labels only.

Every model maps words (batch, n, dims) and a mask (batch, n) to `Output(logit, contribution)`:

    >>> import torch
    >>> from handshift.detect.mil import AbMil, RelationNet
    >>> words, mask = torch.randn(2, 14, 128), torch.ones(2, 14, dtype=torch.bool)
    >>> RelationNet(128)(words, mask).logit.shape
    torch.Size([2])
    >>> AbMil(128, stride=5)(torch.randn(2, 50, 128), torch.ones(2, 50, dtype=torch.bool)).contribution.shape
    torch.Size([2, 50])

The last line reads the source's bags, ten instances of five words each: `stride` is the width of an instance.
"""

from handshift.detect.mil.ab_mil import AbMil, GatedAbMil
from handshift.detect.mil.clam import ClamSb, ClamSbMlp
from handshift.detect.mil.ds_mil import DsMil, DsMilMlp
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
    "ds-mil-mlp": DsMilMlp,
    "clam-sb": ClamSb,
    "clam-sb-mlp": ClamSbMlp,
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
    "ClamSbMlp",
    "DsMil",
    "DsMilMlp",
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
