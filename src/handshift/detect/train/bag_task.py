"""The training task of a detector: batches of bags, loss, and evaluation on held-out writers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from handshift.bag.bagset import BagSet
from handshift.detect.mil import MODELS, AbMil, MilModel, Output
from handshift.detect.train.recipe import DetectRecipe
from handshift.detect.train.training_bags import TrainingBags
from handshift.metrics import auroc, choose_threshold, decide

Vectors = NDArray[np.float32]
Batch = tuple[Vectors, NDArray[np.bool_], NDArray[np.float32]]
_CHUNK = 256


def make_model(
    recipe: DetectRecipe, words: Vectors, writer: NDArray[np.str_], session: NDArray[np.int64]
) -> MilModel:
    """A new network from the recipe's seed, its statistics fitted to the training words (words, dims).

    For the source protocol, AB-MIL reads non-overlapping instances and raw vectors.
    """
    torch.manual_seed(recipe.seed)
    kind, dims = MODELS[recipe.model], words.shape[1]
    if recipe.protocol == "source" and issubclass(kind, AbMil):
        return kind(dims, stride=5)
    model = kind(dims)
    model.fit_statistics(words, writer, session)
    return model


class BagTask:
    """Task for the training loop."""

    def __init__(self, recipe: DetectRecipe, model: MilModel, vectors: Vectors, bags: TrainingBags) -> None:
        self.model, self.vectors, self.bags = model, vectors, bags
        self._steps = recipe.evaluate_every

    @property
    def module(self) -> MilModel:
        """The detector."""
        return self.model

    @property
    def steps_per_epoch(self) -> int:
        """Steps between evaluations: freshly drawn bags have no epochs."""
        return self._steps

    def batch(self, index: int) -> Batch:
        """Words (batch, n, dims), mask (batch, n), labels (batch,)."""
        bags = self.bags.train.batch(index)
        rows, mask, _ = bags.padded()
        return np.asarray(self.vectors[rows], np.float32), mask, bags.label.astype(np.float32)

    def loss(self, batch: tuple[Tensor, Tensor, Tensor]) -> tuple[Tensor, Mapping[str, float | Tensor]]:
        """The model's loss, and the accuracy of the batch."""
        loss, output = self.model.loss(*batch)
        right = ((output.logit > 0) == (batch[2] > 0.5)).float().mean()
        return loss, {"accuracy": right.detach()}

    def evaluate(self) -> Mapping[str, float]:
        """AUC on the balanced validation set, and F1 there at the threshold chosen on the natural one."""
        scores, _ = self.scores(self.bags.balanced)
        natural, _ = self.scores(self.bags.natural)
        threshold = choose_threshold(self.bags.natural.label, natural)
        label = self.bags.balanced.label
        return {"auc": auroc(label, scores), "f1": decide(label, scores, threshold).f1}

    @torch.no_grad()
    def scores(self, bags: BagSet) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Logits (bags,), and contributions of all words, bag after bag (total,)."""
        self.model.eval()
        device = next(self.model.parameters()).device
        logits, parts = [], []
        for start in range(0, len(bags), _CHUNK):
            rows, mask, _ = bags.padded(np.arange(start, min(start + _CHUNK, len(bags))))
            words = torch.from_numpy(np.asarray(self.vectors[rows], np.float32)).to(device)
            output: Output = self.model(words, torch.from_numpy(mask).to(device))
            logits.append(output.logit.cpu().numpy())
            parts.append(output.contribution.cpu().numpy()[mask])
        return np.concatenate(logits).astype(np.float64), np.concatenate(parts).astype(np.float64)
