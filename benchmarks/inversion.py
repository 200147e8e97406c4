r"""Are pictures that one model was inverted to given to their writer by another, trained with another seed?

Every writer's class centre of the model is inverted; the judge, which took no part in that, names the writer
whose centre is nearest. Real words of the same writers, judged alike, stand beside it.

Example: python benchmarks/inversion.py --model runs/studies/embed-cleaning/*_clean_seed42/training \\
           --judge runs/studies/embed-cleaning/*_clean_seed43/training --words runs/words/words --images 1
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from result_file import Benchmark
from rich.progress import track

from handshift.core.atomic import write_bytes
from handshift.core.errors import HandshiftError
from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.crops.downscale import downscaled
from handshift.embedding.crops.word_crop import by_width
from handshift.embedding.inversion.inverted_pictures import png, sheet
from handshift.embedding.inversion.search import Search, invert
from handshift.embedding.inversion.targets import class_loss, cosines
from handshift.embedding.train.load import TrainedNetwork, load_training
from handshift.metrics import bootstrap_interval

SEED = 2026
BATCH = 48
"""Pictures searched for at once: enough hands for the statistics of a batch to mean something."""
SHOWN = 24
"""Pictures in the figure: the first writers', whoever they are."""


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    options = benchmark.options
    options.add_argument("--model", type=Path, required=True, help="training folder that is inverted")
    options.add_argument("--judge", type=Path, required=True, help="training folder of another seed")
    options.add_argument("--split", type=Path, default=None, help="the split of both, for the names")
    options.add_argument("--writers", type=int, default=None, help="how many; all if not given")
    options.add_argument("--images", type=int, default=2, help="pictures of each")
    options.add_argument("--steps", type=int, default=Search.steps)
    options.add_argument("--views", type=int, default=Search.views)
    options.add_argument("--words", type=Path, default=None, help="cut words, to judge real ones as well")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--picture", type=Path, default=Path("docs/images/inversion.png"))
    given = benchmark.begin()
    torch.set_num_threads(given.threads)
    model, judge = load_training(given.model, given.split), load_training(given.judge, given.split)
    if model.writers != judge.writers or model.shrink != judge.shrink:
        raise HandshiftError("model and judge must know the same writers, in pictures of the same size")
    search = Search(steps=given.steps, views=given.views, seed=SEED)
    labels = _labels(len(model.writers), given.writers, given.images)
    pictures = torch.cat([_inverted(model, part, search) for part in track(labels.split(BATCH), "inverting")])
    names = np.array(model.writers)[labels.numpy()]
    result: dict[str, object] = {
        "writers": int(labels.unique().numel()),
        "known_to_both": len(model.writers),
        "pictures": len(labels),
        "steps": search.steps,
        "views": search.views,
        "seed": SEED,
        "model": {"recipe_seed": model.recipe.seed, "shrink": model.shrink},
        "judge": {"recipe_seed": judge.recipe.seed, "shrink": judge.shrink},
        "given_to_the_right_writer": {
            "by the judge": _share(_hits(judge, pictures, labels), names),
            "by the model itself": _share(_hits(model, pictures, labels), names),
            "chance": round(1 / len(model.writers), 4),
        },
        "mean_cosine": {"judge": _mean(judge, pictures, labels), "model": _mean(model, pictures, labels)},
    }
    if given.words:
        result["real_words_given_to_the_right_writer_by_the_judge"] = _real(judge, given.words, labels)
    shown = labels.argsort(stable=True)[:SHOWN]
    grey = (255 * pictures[shown, 0]).round().to(torch.uint8).numpy()
    write_bytes(given.picture, png(sheet(grey, columns=4)))
    benchmark.write(result)


def _labels(known: int, wanted: int | None, images: int) -> torch.Tensor:
    """Writers in random order, `images` times over, so that a batch holds many hands."""
    generator = torch.Generator().manual_seed(SEED)
    chosen = torch.randperm(known, generator=generator)[: wanted or known]
    return torch.cat([chosen[torch.randperm(len(chosen), generator=generator)] for _ in range(images)])


def _inverted(model: TrainedNetwork, labels: torch.Tensor, search: Search) -> torch.Tensor:
    if model.head is None:
        raise HandshiftError("the model was trained on pairs and has no class centres")
    seed = SEED + int(labels[0])  # else every batch would begin with the same loops
    search = Search(search.drawing, search.steps, search.views, seed=seed)
    return invert(model.network, class_loss(model.head, labels), len(labels), model.canvas, search)


@torch.no_grad()
def _scores(model: TrainedNetwork, pictures: torch.Tensor) -> torch.Tensor:
    assert model.head is not None
    centres = model.head.directions()[: len(model.writers)]
    return torch.cat([cosines(model.network(part), centres) for part in pictures.split(64)])


def _hits(model: TrainedNetwork, pictures: torch.Tensor, labels: torch.Tensor) -> NDArray[np.bool_]:
    return (_scores(model, pictures).argmax(dim=1) == labels).numpy()


def _mean(model: TrainedNetwork, pictures: torch.Tensor, labels: torch.Tensor) -> float:
    return round(float(_scores(model, pictures).gather(1, labels[:, None]).mean()), 4)


def _share(hits: NDArray[np.bool_], writers: NDArray[np.str_]) -> dict[str, object]:
    found = bootstrap_interval(writers, lambda at: float(hits[at].mean()), repeats=1000, seed=SEED)
    return {"value": round(found.value, 4), "interval": [round(found.low, 4), round(found.high, 4)]}


def _real(judge: TrainedNetwork, folder: Path, labels: torch.Tensor) -> dict[str, object]:
    """Ten words of each writer, which the judge was trained on."""
    words, rng = WordCollection.load(folder), np.random.default_rng(SEED)
    numbers = labels.unique().tolist()
    rows = np.concatenate([np.sort(rng.choice(words.rows_of([judge.writers[n]]), 10)) for n in numbers])
    some = WordCollection(
        words.crops[rows], words.page[rows], words.writer[rows], words.session[rows], words.prompt[rows]
    )
    hits = np.zeros(len(rows), bool)
    truth = torch.tensor(np.repeat(numbers, 10))
    for alike, crops in by_width(downscaled(some, judge.shrink).crops):
        pictures = torch.from_numpy(crops[:, None] / np.float32(255))
        hits[alike] = _hits(judge, pictures, truth[torch.from_numpy(alike)])
    return _share(hits, some.writer)


if __name__ == "__main__":
    main()
