"""Bags of words for multiple-instance learning: row indices into one vector array, never copies.

A `Plan` says which bags are drawn, a `Drawer` draws them from pages, `FreshBatches` and `FixedBatches` sample
training batches, `source_bags` makes the source's bags, `save_bags` and `load_bags` store sets on disk:

    >>> import numpy as np
    >>> from handshift.bag import Drawer, PageRows, Plan
    >>> pages = [PageRows(np.arange(20) + 20 * n, f"writer {n}", 0, "text") for n in range(3)]
    >>> bags = Drawer(pages, Plan(words=14, shares=(0.3,))).draw(4, np.random.default_rng(0))
    >>> len(bags), bags.sizes.tolist(), int(bags.label.sum())
    (4, [14, 14, 14, 14], 2)
"""

from handshift.bag.bagset import Bag, BagSet, joined
from handshift.bag.batches import BatchesInTurn, FixedBatches, FreshBatches
from handshift.bag.draw import Drawer
from handshift.bag.pages import PageRows, WordTable, documents_of, pages_of
from handshift.bag.patterns import Block, Blocks, Lines, Pattern, Scattered, Where
from handshift.bag.plan import Kind, Plan
from handshift.bag.rebalance import rebalanced
from handshift.bag.source_protocol import source_bags
from handshift.bag.storage import load_bags, save_bags
from handshift.bag.windows import windowed, windows

__all__ = [
    "Bag",
    "BagSet",
    "BatchesInTurn",
    "Block",
    "Blocks",
    "Drawer",
    "FixedBatches",
    "FreshBatches",
    "Kind",
    "Lines",
    "PageRows",
    "Pattern",
    "Plan",
    "Scattered",
    "Where",
    "WordTable",
    "documents_of",
    "joined",
    "load_bags",
    "pages_of",
    "rebalanced",
    "save_bags",
    "source_bags",
    "windowed",
    "windows",
]
