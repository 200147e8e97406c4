"""Why DS-MIL and CLAM stay near chance on unseen writers: AUC by what is changed in their training.

Bags of 14 words, 7 of them foreign, of writers whom the word network was not trained on. "unseen" trains the
MIL networks on the calibration and validation writers and tests them on the test writers; "shared" trains and
tests on other pages of the same test writers. "changes" change one thing of DS-MIL's and CLAM's training.

Example: python benchmarks/mil_heads.py --vectors runs/vectors
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from result_file import Benchmark

from handshift.bag import BagSet, Block, Drawer, PageRows, Plan, Scattered, pages_of
from handshift.core.arrays import Vectors
from handshift.corpus.split import WriterSplit
from handshift.detect.mil import MODELS, MilModel, Output
from handshift.detect.mil.ab_mil import Windows
from handshift.detect.mil.standardise import Standardise
from handshift.embedding.word_vectors import WordVectors
from handshift.metrics import auroc

WORDS, BATCH, TEST = 14, 64, 1000
TORCHMIL = "trans-mil of torchmil"
NAMES = (
    *("mean-pool", "ab-mil", "gated-ab-mil", "ds-mil", "ds-mil-mlp", "clam-sb", "clam-sb-mlp"),
    *("trans-mil", TORCHMIL, "relation-net"),
)


@dataclass(frozen=True)
class Training:
    """How a network is trained."""

    steps: int = 600
    bags: int = 6000
    window: int = 1
    """Words of an instance; windows of several words overlap, stride 1."""
    seed: int = 1


CHANGES = {
    "4 × as many steps": Training(steps=2400),
    "12,963 bags instead of 6,000": Training(bags=12963),
    "instances are windows of five words": Training(window=5),
}


class TorchmilTransMil(MilModel):
    """torchmil's TransMIL on standardised words: Nyström attention, and words laid out in a square."""

    def __init__(self, dims: int, hidden: int = 64) -> None:
        from torchmil.models import TransMIL

        super().__init__()
        self.standard = Standardise(dims)
        self.network = TransMIL((dims,), att_dim=hidden)

    def forward(self, words: torch.Tensor, mask: torch.Tensor) -> Output:
        """Score bags of one size; torchmil's takes no mask."""
        kept = mask.to(words.dtype)
        return Output(self.network(self.standard(words)), kept / kept.sum(dim=1, keepdim=True))


def draw(pages: Sequence[PageRows], count: int, rng: np.random.Generator) -> BagSet:
    plan = Plan(WORDS, shares=(0.5,), patterns=(Block(), Scattered()))
    return Drawer(pages, plan).draw(count, rng)


def auc(
    name: str, train: Sequence[PageRows], test: Sequence[PageRows], vectors: Vectors, training: Training
) -> float:
    rng = np.random.default_rng(training.seed)
    torch.manual_seed(training.seed)
    bags = draw(train, training.bags, rng)
    rows = np.unique(bags.rows)
    model: MilModel = (TorchmilTransMil if name == TORCHMIL else MODELS[name])(vectors.shape[1])
    model.fit_statistics(
        np.asarray(vectors[rows], np.float32), np.full(rows.size, ""), np.zeros(rows.size, int)
    )
    optimiser = torch.optim.AdamW(model.parameters(), 1e-3)
    for _ in range(training.steps):
        words, mask, label = batch(bags.take(rng.integers(len(bags), size=BATCH)), vectors, training.window)
        loss, _ = model.loss(words, mask, label)
        optimiser.zero_grad()
        torch.autograd.backward(loss)
        optimiser.step()
    words, mask, label = batch(draw(test, TEST, rng), vectors, training.window)
    with torch.no_grad():
        output: Output = model.eval()(words, mask)
    return auroc(label.numpy(), output.logit.numpy())


def batch(bags: BagSet, vectors: Vectors, window: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    rows, found, _ = bags.padded()
    words, mask = torch.from_numpy(np.asarray(vectors[rows], np.float32)), torch.from_numpy(found)
    if window > 1:
        words, mask = Windows(window).means(words, mask)
    return words, mask, torch.from_numpy(bags.label.astype(np.float32))


def halves(pages: Sequence[PageRows]) -> tuple[list[PageRows], list[PageRows]]:
    """Every second page of each writer and text, and the others."""
    seen: Counter[tuple[str, str]] = Counter()
    parts: tuple[list[PageRows], list[PageRows]] = ([], [])
    for page in pages:
        parts[seen[page.writer, page.prompt] % 2].append(page)
        seen[page.writer, page.prompt] += 1
    return parts


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    benchmark.options.add_argument("--vectors", type=Path, required=True, help="folder of `handshift embed`")
    benchmark.options.add_argument("--split", type=Path, default=Path("studies/splits/csafe.json"))
    benchmark.options.add_argument("--steps", type=int, default=Training.steps)
    benchmark.options.add_argument("--seeds", type=int, default=3, help="trainings of each network")
    benchmark.options.add_argument("--threads", type=int, default=1)
    given = benchmark.begin()
    torch.set_num_threads(given.threads)
    table, parts = WordVectors.load(given.vectors), WriterSplit.load(given.split).parts
    vectors = np.asarray(table.vectors)
    known = pages_of(table, [*parts["calibration"], *parts["validation"]], WORDS)
    test = pages_of(table, parts["test"], WORDS)
    factor = given.steps / Training.steps

    def figures(name: str, train: Sequence[PageRows], to: Sequence[PageRows], how: Training) -> list[float]:
        how = replace(how, steps=max(1, round(how.steps * factor)))
        return [
            round(auc(name, train, to, vectors, replace(how, seed=seed)), 4) for seed in range(given.seeds)
        ]

    benchmark.write(
        {
            "vectors": table.fingerprint,
            "writers": {part: len(parts[part]) for part in ("calibration", "validation", "test")},
            "training": {"steps": given.steps, "bags": Training.bags, "batch": BATCH},
            "auc": {
                name: {
                    "unseen": figures(name, known, test, Training()),
                    "shared": figures(name, *halves(test), Training()),
                }
                for name in NAMES
            },
            "changes": {
                change: {name: figures(name, known, test, how) for name in ("ds-mil", "clam-sb")}
                for change, how in CHANGES.items()
            },
        }
    )


if __name__ == "__main__":
    main()
