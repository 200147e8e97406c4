"""Trains the network that recognises words crossed out and words upside down."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from handshift.core.onnx_export import export_onnx
from handshift.corpus.scribes import Passage, Scribe, draw_page
from handshift.corpus.scribes.texts import ENGLISH
from handshift.corpus.strike_outs import with_harmless_strokes, with_strike_outs
from handshift.page.segment import segment
from handshift.page.word import Box
from handshift.page.word_kind import WordKind
from handshift.page.word_marks import HEIGHT, THRESHOLD, WIDTH, word_picture
from handshift.pipeline.fit_scope import INSIDE, OUTSIDE, page_images

CROSSED, HARMLESS = 0.25, 0.1
"""Share of a page's words that are crossed out, and of those with another stroke."""
VIEWS = 4
"""How often each page is seen: as it is, and with strokes drawn anew."""
SCRIBES = 24
"""Synthetic scribes of whom a page each is learnt too: their even strokes passed for lines through words."""
_FIRST_SCRIBE = 100
"""Others drew the pages that come with handshift."""
_COVERED, _OWN, _FREE = 0.5, 0.3, 0.05
"""Share of a crossed-out box that a word covers, and of the word's that is crossed out; less of both than the
third is no strike-out, and what lies between is left out."""
_BATCH, _STRUCK, _OTHER = 192, 64, 16
"""Words of a step, those crossed out among them, and those in other scripts."""
_TURNED = 0.35
_RATE, _DECAY = 4e-3, 1e-3
_DOUBTED, _SURE = 0.3, 1.5
"""Share of the steps after which words of untouched pages beyond this logit are left out of the loss: their
writers crossed most of them out."""
FALSE_ALARMS = 0.002
"""Share of held-out words on pages as they are that pass the threshold. Their writers crossed out 19 of
11,721, by eye."""


class Words(NamedTuple):
    """Pictures of words, and which are crossed out."""

    pictures: NDArray[np.uint8]
    struck: NDArray[np.bool_]
    latin: NDArray[np.bool_]
    untouched: NDArray[np.bool_]
    """Whether the word's page is a scan as it was, without strokes drawn on it."""


class Figures(NamedTuple):
    """What the network does on held-out writers."""

    words: int
    threshold: float
    recall: float
    """Share of the words crossed out, in all the ways that are drawn, that pass the threshold."""
    upright: float
    """Share of single words of which the network knows whether they stand upright."""


class MarkNetwork(nn.Module):
    """Six convolutions, and a linear layer on the mean and the maximum of each channel.

    (words, 1, 32, 128) → (words, 2): logits of being crossed out and of standing upside down.
    """

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            _block(1, 16, (5, 5), 2),
            _block(16, 24, (3, 3), 2),
            _block(24, 32, (3, 3), 1),
            _block(32, 32, (3, 7), 1),
            _block(32, 48, (3, 3), 2),
            _block(48, 48, (3, 5), 1),
        )
        self.head = nn.Linear(96, 2)

    def forward(self, words: Tensor) -> Tensor:
        """Logits of each word."""
        found = self.features(words)  # (words, 48, 4, 16)
        pooled = torch.cat([found.amax((2, 3)), found.mean((2, 3))], 1)  # (words, 96)
        return torch.as_tensor(self.head(pooled))


def _block(inputs: int, outputs: int, kernel: tuple[int, int], stride: int) -> nn.Sequential:
    padding = kernel[0] // 2, kernel[1] // 2
    convolution = nn.Conv2d(inputs, outputs, kernel, stride, padding, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(outputs), nn.ReLU())


def fit_word_marks(
    data: Path,
    splits: Path,
    path: Path,
    *,
    pages: int = 40,
    steps: int = 2500,
    seed: int = 2026,
    progress: Callable[[str], None] = lambda _: None,
) -> Figures:
    """Train the network on pages of training writers and write it with its threshold.

    Words of CSAFE, copiste, IAM and synthetic scribes are crossed out in several ways, KHATT and the Korean
    fonts only show what upright words of other scripts are like. The threshold is set, and recall measured,
    on calibration writers.

    Args:
        data: Folder of the databases.
        splits: Folder of their writer splits.
        path: Where the ONNX file goes.
        pages: Of each database.
        steps: Of the optimizer.
        seed: Of all draws.
        progress: Called with a line of text now and then.
    """
    learnt = _words(data, splits, "train", pages, seed, (*INSIDE, *OUTSIDE), SCRIBES)
    held_out = _words(data, splits, "calibration", pages, seed, INSIDE)
    progress(f"{len(learnt.struck)} words, {int(learnt.struck.sum())} of them crossed out")
    network = train(learnt, steps, seed, progress)
    upright, turned = (
        _logits(network, pictures) for pictures in (held_out.pictures, held_out.pictures[:, ::-1, ::-1])
    )
    # Strokes that cross nothing out are more frequent on pages drawn on: the threshold is for real ones.
    threshold = float(np.quantile(upright[held_out.untouched, 0], 1 - FALSE_ALARMS))
    known = np.concatenate([upright[:, 1] < 0, turned[:, 1] > 0])
    recall = float((upright[held_out.struck, 0] > threshold).mean())
    example = torch.zeros(2, 1, HEIGHT, WIDTH)
    checks = [(_tensor(held_out.pictures[:64]),), (_tensor(held_out.pictures[:3]),)]
    names = {"words": {0: "words"}, "logits": {0: "words"}}
    export_onnx(
        network,
        path,
        (example,),
        checks,
        inputs=["words"],
        outputs=["logits"],
        dynamic_axes=names,
        tolerance=1e-4,
        metadata={THRESHOLD: f"{threshold:.4f}"},
    )
    return Figures(len(held_out.struck), threshold, recall, float(known.mean()))


def _words(
    data: Path, splits: Path, part: str, pages: int, seed: int, names: Sequence[str], scribes: int = 0
) -> Words:
    rows: list[tuple[NDArray[np.uint8], bool, bool, bool]] = []
    for name in names:
        draw = np.random.default_rng([seed, len(rows)])
        for _, image in page_images(data, splits, name, part, pages, draw):
            latin = name in INSIDE
            found = _of_page(image, VIEWS if latin else 1, draw)
            rows += [(picture, struck, latin, untouched) for picture, struck, untouched in found]
    for number in range(scribes):
        image = draw_page([Passage(Scribe(_FIRST_SCRIBE + number), ENGLISH)], seed=number).image
        found = _of_page(image, VIEWS, np.random.default_rng([seed, number]))
        # Nothing on these is crossed out by a writer.
        rows += [(picture, struck, True, False) for picture, struck, _ in found]
    pictures, *flags = zip(*rows, strict=True)
    return Words(np.stack(pictures), *(np.array(flag, bool) for flag in flags))


def _of_page(
    image: NDArray[np.uint8], ways: int, draw: np.random.Generator
) -> Iterator[tuple[NDArray[np.uint8], bool, bool]]:
    """Words of a page as it is and with strokes drawn on it: which are crossed out, which are untouched."""
    boxes = [word.box for word in segment(image).words if word.kind is WordKind.WRITING]
    for way in range(ways):
        seen, crossed = image, list[Box]()
        if way:
            seen, crossed = with_strike_outs(image, boxes, CROSSED, draw)
            seen = with_harmless_strokes(seen, [box for box in boxes if box not in crossed], HARMLESS, draw)
        found = segment(seen)
        for word in found.words:
            picture = word_picture(word.ink, found.letter_size)
            if picture is None or word.kind in (WordKind.PRINT, WordKind.STAMP):
                continue
            shared = max((_shared(word.box, box) for box in crossed), default=(0.0, 0.0))
            if shared[0] > _COVERED and shared[1] > _OWN:
                yield picture, True, way == 0
            elif max(shared) < _FREE:
                yield picture, False, way == 0


def _shared(word: Box, crossed: Box) -> tuple[float, float]:
    """Share of a crossed-out box that a word covers, and of the word's box in it."""
    across = min(word.x + word.width, crossed.x + crossed.width) - max(word.x, crossed.x)
    down = min(word.y + word.height, crossed.y + crossed.height) - max(word.y, crossed.y)
    both = max(0, across) * max(0, down)
    return both / (crossed.width * crossed.height), both / (word.width * word.height)


def train(words: Words, steps: int, seed: int, progress: Callable[[str], None]) -> MarkNetwork:
    """Train on batches with a third of the words crossed out and a third upside down."""
    torch.manual_seed(seed)
    generator, draw = torch.Generator().manual_seed(seed), np.random.default_rng(seed)
    groups = [words.struck, ~words.latin, ~words.struck & words.latin]
    counts = [_STRUCK, _OTHER, _BATCH - _STRUCK - _OTHER]
    parts = [
        (np.flatnonzero(group), count) for group, count in zip(groups, counts, strict=True) if group.any()
    ]
    network = MarkNetwork()
    optimizer = torch.optim.AdamW(network.parameters(), _RATE, weight_decay=_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, _RATE, total_steps=steps)
    for step in range(steps):
        chosen = np.concatenate([draw.choice(members, count) for members, count in parts])
        pictures = varied(_tensor(words.pictures[chosen]), generator)
        turned = torch.rand(len(chosen), generator=generator) < _TURNED
        pictures = torch.where(turned[:, None, None, None], pictures.flip((2, 3)), pictures)
        logits = network(pictures)
        # The writers' own strike-outs carry the wrong label: targets are smoothed.
        struck = torch.from_numpy(words.struck[chosen]).float() * 0.97 + 0.01
        real = torch.from_numpy(words.untouched[chosen] & words.latin[chosen])
        doubted = real & (logits[:, 0].detach() > _SURE)
        kept = (~doubted | torch.tensor(step < _DOUBTED * steps)).float()
        loss = functional.binary_cross_entropy_with_logits(logits[:, 0], struck, weight=kept)
        loss = loss + 0.5 * functional.binary_cross_entropy_with_logits(
            logits[:, 1], turned.float() * 0.96 + 0.02
        )
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()
        schedule.step()
        if (step + 1) % 250 == 0:
            progress(f"step {step + 1}: loss {float(loss.detach()):.3f}")
    return network.eval()


def varied(pictures: Tensor, generator: torch.Generator) -> Tensor:
    """Sizes, slants, heights, breadths of the pen and darkness of the ink vary a little."""
    count = len(pictures)
    normal = torch.randn(4, count, generator=generator)
    there = torch.zeros(count, 2, 3)
    there[:, 0, 0], there[:, 1, 1] = torch.exp(0.15 * normal[0]), torch.exp(0.15 * normal[1])
    there[:, 0, 1], there[:, 1, 2] = 0.15 * normal[2] * HEIGHT / WIDTH, 0.1 * normal[3]
    grid = functional.affine_grid(there, list(pictures.shape), align_corners=False)
    moved = functional.grid_sample(pictures, grid, align_corners=False)
    broad = functional.max_pool2d(moved, 3, 1, 1)
    fine = -functional.max_pool2d(-moved, (1, 2), 1, (0, 1))[..., :-1]
    pen = torch.rand(count, generator=generator)[:, None, None, None]
    moved = torch.where(pen < 0.1, (moved + broad) / 2, torch.where(pen > 0.9, (moved + fine) / 2, moved))
    return moved * (0.7 + 0.5 * torch.rand(count, 1, 1, 1, generator=generator))


def _tensor(pictures: NDArray[np.uint8]) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(pictures)).float()[:, None] / 255


@torch.no_grad()
def _logits(network: MarkNetwork, pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
    parts = [network(_tensor(pictures[at : at + 512])).numpy() for at in range(0, len(pictures), 512)]
    return np.concatenate(parts)
