"""AUC of MIL networks with a linear and with a hidden-layer bag classifier, on writers not trained on.

Bags of 14 words, 7 of them foreign, from writers whom the word network was not trained on; three fifths of
them train the MIL networks, the others test them. "shared" trains and tests on other pages of the same
writers.

Example: python benchmarks/mil_heads.py --data ../shared/data/csafe
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import torch
from known_writers import known_writers, known_writers_benchmark

from handshift.bag import BagSet, Block, Drawer, PageRows, Plan, Scattered, pages_of
from handshift.core.arrays import Vectors
from handshift.detect.mil import MODELS, MilModel, Output
from handshift.detect.mil.standardise import Standardise
from handshift.metrics import auroc

WORDS, BATCH, BAGS, TEST = 14, 64, 6000, 1000
NAMES = (
    *("mean-pool", "ab-mil", "ds-mil", "ds-mil-mlp", "clam-sb", "clam-sb-mlp"),
    *("trans-mil", "trans-mil of torchmil", "relation-net"),
)


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
    name: str, train: Sequence[PageRows], test: Sequence[PageRows], vectors: Vectors, steps: int
) -> float:
    rng = np.random.default_rng(1)
    torch.manual_seed(1)
    bags = draw(train, BAGS, rng)
    rows = np.unique(bags.rows)
    kind = TorchmilTransMil if name.endswith("of torchmil") else MODELS[name]
    model: MilModel = kind(vectors.shape[1])
    model.fit_statistics(
        np.asarray(vectors[rows], np.float32), np.full(rows.size, ""), np.zeros(rows.size, int)
    )
    optimiser = torch.optim.AdamW(model.parameters(), 1e-3)
    for _ in range(steps):
        words, mask, label = batch(bags.take(rng.integers(len(bags), size=BATCH)), vectors)
        loss, _ = model.loss(words, mask, label)
        optimiser.zero_grad()
        torch.autograd.backward(loss)
        optimiser.step()
    words, mask, label = batch(draw(test, TEST, rng), vectors)
    with torch.no_grad():
        output: Output = model.eval()(words, mask)
    return auroc(label.numpy(), output.logit.numpy())


def batch(bags: BagSet, vectors: Vectors) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    rows, mask, _ = bags.padded()
    words = torch.from_numpy(np.asarray(vectors[rows], np.float32))
    return words, torch.from_numpy(mask), torch.from_numpy(bags.label.astype(np.float32))


def halves(pages: Sequence[PageRows]) -> tuple[list[PageRows], list[PageRows]]:
    """Every second page of each writer and text, and the others."""
    seen: Counter[tuple[str, str]] = Counter()
    parts: tuple[list[PageRows], list[PageRows]] = ([], [])
    for page in pages:
        parts[seen[page.writer, page.prompt] % 2].append(page)
        seen[page.writer, page.prompt] += 1
    return parts


def main() -> None:
    benchmark = known_writers_benchmark(__file__, __doc__)
    benchmark.options.add_argument("--steps", type=int, default=600)
    given = benchmark.begin()
    torch.set_num_threads(given.threads)
    known = known_writers(given)
    order = np.random.default_rng(0).permutation(sorted(known.writers)).tolist()
    cut = 3 * len(order) // 5
    disjoint = [pages_of(known.table, part, WORDS) for part in (order[:cut], order[cut:])]
    shared = halves(pages_of(known.table, order, WORDS))
    figures = {
        name: {
            "disjoint": round(auc(name, disjoint[0], disjoint[1], known.vectors, given.steps), 4),
            "shared": round(auc(name, *shared, known.vectors, given.steps), 4),
        }
        for name in NAMES
    }
    benchmark.write({"model": known.model.card.id, "writers": len(order), "bags": BAGS, "auc": figures})


if __name__ == "__main__":
    main()
