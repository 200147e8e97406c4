"""Trains, evaluates and exports a detector: what `handshift train detect` runs."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from handshift.bag.bag_folder import BagFolder
from handshift.core.atomic import write_text
from handshift.corpus.split import WriterSplit
from handshift.detect.export_detector import export_detector
from handshift.detect.onnx_detector import DETECTOR, NetworkDetector
from handshift.detect.train.bag_task import BagTask, make_model
from handshift.detect.train.held_out_variance import rescale_to_held_out
from handshift.detect.train.instance_attention import instance_summary, write_instance_attention
from handshift.detect.train.recipe import DetectRecipe
from handshift.detect.train.test_report import attention, by_share, draw_attention, draw_curves
from handshift.detect.train.training_bags import bags_for
from handshift.embedding.word_vectors import WordVectors
from handshift.metrics import choose_threshold
from handshift.training import TrainingResult, fit, load_weights

TRAINING, RESULTS = "training", "results.json"


@dataclass(frozen=True)
class DetectRun:
    """One training of a detector.

    Args:
        vectors: word vectors of all writers.
        split: writers of train, validation and test.
        out: folder of checkpoints, results and the exported network.
        recipe: model, bags and optimisation.
        threads: of torch.
        bags: bags read from files; they are drawn by the recipe where there are none.
    """

    vectors: WordVectors
    split: WriterSplit
    out: Path
    recipe: DetectRecipe
    threads: int = 1
    bags: BagFolder | None = None

    def run(self, progress_bar: bool = True) -> str:
        """Train, choose the threshold, test and export; returns a summary."""
        task, result = self._train(progress_bar)
        bags = task.bags
        natural, _ = task.scores(bags.natural)
        scores, contribution = task.scores(bags.test)
        test = by_share(bags.test, scores, choose_threshold(bags.natural.label, natural))
        difference = self._export(task)
        results = {
            "recipe": self.recipe.used(self.bags.record["options"] if self.bags else None),
            "order_aware": task.model.order_aware,
            "parameters": sum(p.numel() for p in task.model.parameters()),
            "training": {"steps": result.steps, "ended": result.ended, "seconds": round(result.seconds, 1)},
            "validation": {"step": result.best_step, **result.best_metrics},
            "test": test,
            "attention": attention(bags.test, contribution) | instance_summary(bags.test, contribution),
            "export_difference": difference,
        }
        write_text(self.out / RESULTS, json.dumps(results, indent=1) + "\n")
        draw_curves(self.out / TRAINING, self.out)
        draw_attention(bags.test, contribution, self.out)
        if bags.test.width > 1:
            write_instance_attention(bags.test, contribution, self.out)
        return _summary(self.out, results)

    def detector(self) -> NetworkDetector:
        """The exported network, trained first if needed; test writers are not used."""
        if not (self.out / DETECTOR).exists():
            self._export(self._train(progress_bar=False)[0])
        return NetworkDetector(self.out / DETECTOR)

    def _train(self, progress_bar: bool) -> tuple[BagTask, TrainingResult]:
        torch.set_num_threads(self.threads)
        bags = bags_for(self.recipe, self.vectors, self.split, self.bags)
        table, writers = self.vectors, self.split.parts
        # In memory: batches read random rows, and 128 numbers per word are little.
        if self.recipe.protocol == "source":
            vectors = np.asarray(table.vectors, np.float32)
        else:
            vectors = rescale_to_held_out(table, writers["train"], writers["validation"])
        rows = np.flatnonzero(np.isin(table.writer, writers["train"]))
        model = make_model(self.recipe, vectors[rows], table.writer[rows], table.session[rows])
        task = BagTask(self.recipe, model, vectors, bags)
        result = fit(
            task,
            self.recipe.training(),
            self.out / TRAINING,
            identity=self._identity(),
            progress_bar=progress_bar,
        )
        load_weights(task.module, result.weights)
        return task, result

    def _export(self, task: BagTask) -> float:
        return export_detector(task.model, self.vectors.vectors.shape[1], self.out / DETECTOR)

    def _identity(self) -> dict[str, Any]:
        pace = ("steps", "seed", "patience", "evaluate_every")  # recorded in the training's own settings
        recipe = self.recipe.model_dump(mode="json", exclude=set(pace))
        parts = repr([sorted(self.split.parts[part]) for part in ("train", "validation")])
        split = f"{self.split.corpus}-{hashlib.sha256(parts.encode()).hexdigest()[:12]}"
        bags = {"bags": self.bags.fingerprint} if self.bags else {}
        return {**recipe, **bags, "vectors": self.vectors.fingerprint, "split": split}


def _summary(out: Path, results: dict[str, Any]) -> str:
    test = results["test"]
    shares = ", ".join(
        f"{float(share):.0%}: {figures['auc_against_single']:.3f}"
        for share, figures in test["shares"].items()
    )
    flagged = ", ".join(f"{name} {rate:.0%}" for name, rate in test["false_positive_rate"].items())
    return (
        f"{out / DETECTOR}: test AUC {test['auc']:.3f} (chance 0.5); by share against single pages {shares}\n"
        f"F1 {test['f1']:.3f} (always mixed {test['f1_always_mixed']:.3f}), false-positive rate: {flagged}; "
        f"TPR at FPR ≤ 1 %: {test['tpr_at_1']:.3f}, ≤ 5 %: {test['tpr_at_5']:.3f}\n"
        f"{out / RESULTS} holds all figures"
    )
