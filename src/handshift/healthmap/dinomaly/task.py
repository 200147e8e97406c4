"""A second question for the bottleneck: which domain does the map come from?

Kept features in, a trained decoder out: what the common loop needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from handshift.healthmap.dinomaly.decoder import Decoder
from handshift.healthmap.dinomaly.distance import Distances, point_distances
from handshift.healthmap.dinomaly.recipe import DinomalyRecipe
from handshift.training import batch_generator


class DomainClassifier(nn.Module):
    """Cross entropy of a linear guess of the domain from the mean token (B, T, width).

    The source names an auxiliary classifier and leaves its question open; the domain is the one label that
    sound maps have. It is used in training only.
    """

    def __init__(self, width: int, domains: int) -> None:
        super().__init__()
        self.guess = nn.Linear(width, domains)

    def forward(self, tokens: Tensor, domains: Tensor) -> Tensor:
        """``domains`` (B,) are numbers."""
        return F.cross_entropy(self.guess(tokens.mean(dim=1)), domains)


_CHUNK = 64


class DinomalyModule(nn.Module):
    """Decoder, the loss's own parameters and the auxiliary classifier: all that learns."""

    def __init__(self, recipe: DinomalyRecipe, width: int, domains: int) -> None:
        super().__init__()
        inner = recipe.width or width
        self.decoder = Decoder(width, inner, recipe.depth, recipe.heads, recipe.dropout)
        self.loss = recipe.make_loss()
        self.classifier = DomainClassifier(inner, domains) if recipe.auxiliary else None


class DinomalyTask:
    """Random batches of normal maps; their features must be given back from the bottleneck."""

    def __init__(
        self,
        recipe: DinomalyRecipe,
        features: NDArray[np.floating],
        domains: Sequence[str],
        held_out: NDArray[np.floating],
    ) -> None:
        torch.manual_seed(recipe.seed)
        self.recipe, self.features, self.held_out = recipe, features, held_out
        names = sorted(set(domains))
        self.domains = np.array([names.index(domain) for domain in domains], np.int64)
        self.module = DinomalyModule(recipe, features.shape[-1], len(names))
        self.steps_per_epoch = max(1, len(features) // recipe.batch)

    def batch(self, index: int) -> dict[str, Any]:
        """Features (B, 2, T, width), domains and numbers of the maps (B,), and the step, for ramps."""
        chosen = self.chosen(index)
        return {
            "features": np.asarray(self.features[chosen], np.float32),
            "domains": self.domains[chosen],
            "maps": chosen,
            "step": index,
        }

    def chosen(self, index: int) -> NDArray[np.intp]:
        """Which maps are in batch ``index``, in the order they are kept in."""
        random = batch_generator(self.recipe.seed, index)
        size = min(self.recipe.batch, len(self.features))
        return np.sort(random.choice(len(self.features), size, replace=False))

    def loss(self, batch: dict[str, Any]) -> tuple[Tensor, Mapping[str, float | Tensor]]:
        """Distance between what was there and what is given back, and the classifier's share."""
        module, features = self.module, batch["features"]
        tokens = module.decoder.bottleneck(features.mean(dim=1))
        given_back = module.decoder.given_back(tokens)
        loss = module.loss(features, given_back, batch["step"])
        values: dict[str, float | Tensor] = {
            "distance": point_distances(features, given_back.detach()).mean()
        }
        if module.classifier is not None:
            guessed = module.classifier(tokens, batch["domains"])
            values["auxiliary"] = guessed.detach()
            loss = loss + self.recipe.auxiliary * guessed
        return loss, values

    def evaluate(self) -> Mapping[str, float]:
        """Mean distance on normal maps kept apart."""
        return {"distance": float(self.distances(self.held_out).mean())}

    def scale_weights(self) -> tuple[float, ...]:
        """How much each group counts when maps are scored: the loss knows."""
        return tuple(self.module.loss.weights(self.features.shape[1]).tolist())

    @torch.no_grad()
    def distances(self, features: NDArray[np.floating]) -> NDArray[np.float32]:
        """(N, 2, T, width) → (N, 2, T), without noise."""
        model = Distances(self.module.decoder).eval()
        parts = [
            model(torch.from_numpy(np.asarray(features[start : start + _CHUNK], np.float32))).numpy()
            for start in range(0, len(features), _CHUNK)
        ]
        self.module.train()
        return np.concatenate(parts) if parts else np.empty((0, *features.shape[1:3]), np.float32)
