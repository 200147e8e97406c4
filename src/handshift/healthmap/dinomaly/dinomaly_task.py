"""Training task of the Dinomaly decoder on cached features, with the optional auxiliary classifier."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from handshift.healthmap.dinomaly.cosine_distance import ReconstructionDistance, cosine_distances, with_level
from handshift.healthmap.dinomaly.decoder import Decoder
from handshift.healthmap.dinomaly.dinomaly_recipe import DinomalyRecipe
from handshift.training import batch_generator


class DomainClassifier(nn.Module):
    """Auxiliary loss: cross entropy of a linear classifier of the domain on the mean bottleneck token.

    The source names an auxiliary classifier without its target; the domain is the only label that normal maps
    have. It is used in training only.
    """

    def __init__(self, width: int, domains: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, domains)

    def forward(self, tokens: Tensor, domains: Tensor) -> Tensor:
        """Tokens (B, T, width) and domain numbers (B,) → scalar."""
        return F.cross_entropy(self.linear(tokens.mean(dim=1)), domains)


_CHUNK = 64


class DinomalyModule(nn.Module):
    """All trained parameters: decoder, those of the loss, and the auxiliary classifier.

    ``centre`` is the mean normal feature of each group, (2, 1, width), of a recipe with ``centred``;
    ``level`` the root mean square length of each group's normal features, (2, 1, 1), of one with ``lengths``.
    """

    centre: Tensor | None
    level: Tensor | None

    def __init__(
        self,
        recipe: DinomalyRecipe,
        width: int,
        domains: int,
        centre: Tensor | None = None,
        level: Tensor | None = None,
    ) -> None:
        super().__init__()
        inner = recipe.width or width
        self.register_buffer("centre", centre)
        self.register_buffer("level", level)
        self.decoder = Decoder(width, inner, recipe.depth, recipe.heads, recipe.dropout)
        self.loss = recipe.make_loss()
        self.classifier = DomainClassifier(inner, domains) if recipe.auxiliary else None


class DinomalyTask:
    """Reconstruct the features of random batches of normal maps.

    Args:
        recipe: Decoder and loss.
        features: Of the training maps, (maps, 2, T, width).
        domains: Of the training maps.
        held_out: Features of normal validation maps.
        prefix: Number of class and register tokens before the patches: they pass through the decoder, and
            neither loss nor distances use them.
    """

    def __init__(
        self,
        recipe: DinomalyRecipe,
        features: NDArray[np.floating],
        domains: Sequence[str],
        held_out: NDArray[np.floating],
        prefix: int = 0,
    ) -> None:
        torch.manual_seed(recipe.seed)
        self.prefix = prefix
        self.recipe, self.features, self.held_out = recipe, features, held_out
        names = sorted(set(domains))
        self.domains = np.array([names.index(domain) for domain in domains], np.int64)
        patches = features[:, :, prefix:]
        centre = _mean_feature(patches) if recipe.centred else None
        level = _usual_length(patches, centre) if recipe.lengths else None
        self.module = DinomalyModule(recipe, features.shape[-1], len(names), centre, level)
        self.steps_per_epoch = max(1, len(features) // recipe.batch)

    def batch(self, index: int) -> dict[str, Any]:
        """Features (B, 2, T, width), domains and indices of the maps (B,), and the step number for ramps."""
        chosen = self.indices(index)
        return {
            "features": np.asarray(self.features[chosen], np.float32),
            "domains": self.domains[chosen],
            "maps": chosen,
            "step": index,
        }

    def indices(self, index: int) -> NDArray[np.intp]:
        """Indices of the maps in batch ``index``, ascending."""
        random = batch_generator(self.recipe.seed, index)
        size = min(self.recipe.batch, len(self.features))
        return np.sort(random.choice(len(self.features), size, replace=False))

    def loss(self, batch: dict[str, Any]) -> tuple[Tensor, Mapping[str, float | Tensor]]:
        """Reconstruction loss plus the weighted auxiliary loss."""
        module, features = self.module, batch["features"]
        features = features if module.centre is None else features - module.centre
        tokens = module.decoder.bottleneck(features.mean(dim=1))
        reconstruction = with_level(module.decoder.reconstruct(tokens)[:, :, self.prefix :], module.level)
        features = with_level(features[:, :, self.prefix :], module.level)
        loss = module.loss(features, reconstruction, batch["step"])
        values: dict[str, float | Tensor] = {
            "distance": cosine_distances(features, reconstruction.detach()).mean()
        }
        if module.classifier is not None:
            auxiliary = module.classifier(tokens, batch["domains"])
            values["auxiliary"] = auxiliary.detach()
            loss = loss + self.recipe.auxiliary * auxiliary
        return loss, values

    def evaluate(self) -> Mapping[str, float]:
        """Mean distance on held-out normal maps."""
        return {"distance": float(self.distances(self.held_out).mean())}

    def scale_weights(self) -> tuple[float, ...]:
        """Weights of the groups in scoring, as defined by the loss."""
        return tuple(self.module.loss.weights(self.features.shape[1]).tolist())

    def measure(self) -> ReconstructionDistance:
        """Decoder and distance in one module, to score with and to export."""
        module = self.module
        return ReconstructionDistance(module.decoder, self.prefix, module.centre, module.level)

    @torch.no_grad()
    def distances(self, features: NDArray[np.floating]) -> NDArray[np.float32]:
        """(N, 2, prefix + T, width) → (N, 2, T), without dropout."""
        model = self.measure().eval()
        parts = [
            model(torch.from_numpy(np.asarray(features[start : start + _CHUNK], np.float32))).numpy()
            for start in range(0, len(features), _CHUNK)
        ]
        self.module.train()
        none = np.empty((0, features.shape[1], features.shape[2] - self.prefix), np.float32)
        return np.concatenate(parts) if parts else none


def _mean_feature(features: NDArray[np.floating]) -> Tensor:
    """Mean over maps and patches, (maps, 2, T, width) → (2, 1, width)."""
    return _mean(features, lambda part: part)


def _usual_length(features: NDArray[np.floating], centre: Tensor | None) -> Tensor:
    """Root mean square length of centred features, (maps, 2, T, width) → (2, 1, 1)."""
    middle = 0.0 if centre is None else centre.numpy()
    squares = _mean(features, lambda part: np.square(part - middle).sum(axis=-1, keepdims=True))
    return squares.sqrt()


def _mean(features: NDArray[np.floating], of: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Tensor:
    """Mean of a function of the features over maps and patches, (maps, 2, T, width) → (2, 1, …)."""
    parts = [
        of(np.asarray(features[start : start + _CHUNK], np.float64)).sum(axis=(0, 2))
        for start in range(0, len(features), _CHUNK)
    ]
    mean = np.sum(parts, axis=0) / (len(features) * features.shape[2])
    return torch.from_numpy(mean.astype(np.float32))[:, None]
