"""Margin losses on class logits: softmax, SphereFace, CosFace, ArcFace, combined, AdaFace, CurricularFace.

A margin changes cosines; a head (`handshift.embedding.train.heads`) holds the class centres. Both are
`torch.nn.Module`s and work in any training loop:

    >>> import torch
    >>> from handshift.embedding.train.heads import Plain
    >>> from handshift.embedding.train.margins import arcface
    >>> head = Plain(classes=10, dimensions=16, margin=arcface(scale=30.0, margin=0.5))
    >>> loss = head.loss(torch.randn(4, 16), torch.tensor([0, 3, 3, 9]))
    >>> loss.shape
    torch.Size([])
"""

from handshift.embedding.train.margins.adaface import AdaFace
from handshift.embedding.train.margins.arcface import arcface
from handshift.embedding.train.margins.combined_margin import CombinedMargin
from handshift.embedding.train.margins.cosface import cosface
from handshift.embedding.train.margins.curricularface import CurricularFace
from handshift.embedding.train.margins.margin import Margin
from handshift.embedding.train.margins.registry import MARGINS, default_scale, make_margin
from handshift.embedding.train.margins.softmax import NormalisedSoftmax, Softmax
from handshift.embedding.train.margins.sphereface import sphereface
from handshift.embedding.train.margins.terms import Inter, Intra, Term

__all__ = [
    "MARGINS",
    "AdaFace",
    "CombinedMargin",
    "CurricularFace",
    "Inter",
    "Intra",
    "Margin",
    "NormalisedSoftmax",
    "Softmax",
    "Term",
    "arcface",
    "cosface",
    "default_scale",
    "make_margin",
    "sphereface",
]
