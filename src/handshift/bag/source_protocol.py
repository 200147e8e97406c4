"""The source's bag protocol, unchanged: whole windows are replaced, not words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from handshift.bag.bagset import BagSet, joined
from handshift.bag.coded_column import CodedColumn
from handshift.bag.page_partners import Numbers, PageArrays, partners_of
from handshift.bag.pages import PageRows
from handshift.bag.plan import Kind
from handshift.bag.rebalance import rebalanced
from handshift.bag.windows import windows
from handshift.core.errors import HandshiftError

SHARES = (0.05, 0.1, 0.2, 0.3)
WINDOW, INSTANCES = 5, 10
WORDS = WINDOW + INSTANCES - 1


def source_bags(
    documents: Sequence[PageRows],
    rng: np.random.Generator,
    *,
    shares: Sequence[float] = SHARES,
    mixed_per_single: float | None = 2.0,
    per_document: int = 8,
) -> BagSet:
    """Bags of ten windows of five words, 50 rows each (`width` 5), as the source makes them.

    Documents are all of a writer's session. A single bag is ten consecutive windows; of each, every share
    makes a mixed bag with max(1, int(10 · share)) windows replaced by windows of another writer, at any text;
    then mixed bags are left out until there are `mixed_per_single`. Kept as they are: 5 % and 10 % both
    replace one window, and a replaced window shares no word with its neighbours, which no document can show.
    Unspecified there and chosen here: which runs of ten windows are taken (random, not overlapping, eight per
    document as the source's totals suggest), and which windows are replaced by which (random, of one other
    document).

    Args:
        documents: all words of each writer's session.
        rng: draws runs, partners and windows.
        shares: shares of replaced windows.
        mixed_per_single: class ratio after rebalancing; None keeps all bags, one single to four mixed.
        per_document: most single bags of a document.

    Raises:
        HandshiftError: fewer than two writers have documents of 14 words.
    """
    pages = PageArrays([document for document in documents if document.rows.size >= WORDS])
    partners = partners_of(pages, Kind.MIXED, same_prompt=False)
    if not len(pages) or not partners.count.any():
        raise HandshiftError(
            f"the source's bags need documents of {WORDS} words or more by two writers, and {len(pages)} "
            "documents are that long; give more writers or longer documents"
        )
    host, first = _tens(pages, per_document, rng)
    rows = pages.rows[(pages.start[host] + first)[:, None, None] + windows(WORDS, WINDOW)]
    parts = [_set(pages, host, rows, Kind.SINGLE, 0.0)]
    for share in shares:
        guest = partners.draw(host, rng)
        start = rng.integers(pages.size[guest][:, None] - WINDOW + 1, size=(host.size, INSTANCES))
        others = pages.rows[(pages.start[guest][:, None] + start)[:, :, None] + np.arange(WINDOW)]
        replaced = rng.random((host.size, INSTANCES)).argsort(axis=1) < max(1, int(INSTANCES * share))
        mixed = np.where(replaced[:, :, None], ~others, rows)
        parts.append(_set(pages, host, mixed, Kind.MIXED, share))
    bags = joined(parts)
    return bags if mixed_per_single is None else rebalanced(bags, mixed_per_single, rng)


def _tens(pages: PageArrays, most: int, rng: np.random.Generator) -> tuple[Numbers, Numbers]:
    """(bags,) document and first word of runs of ten windows that share no first word."""
    host, first = [], []
    for document, size in enumerate(pages.size):
        tens = rng.permutation((size - WINDOW + 1) // INSTANCES)[:most]
        host.append(np.full(tens.size, document))
        first.append(np.sort(tens) * INSTANCES)
    return np.concatenate(host), np.concatenate(first)


def _set(pages: PageArrays, host: Numbers, signed: NDArray[np.int64], kind: Kind, share: float) -> BagSet:
    """Of rows (bags, instances, window)."""
    bags = host.size
    columns = {
        "label": CodedColumn.of(np.full(bags, kind is Kind.MIXED)),
        "writer": pages.writers.take(host),
        "kind": CodedColumn.of(np.full(bags, kind.word)),
        "key": pages.keys.take(host),
        "share": CodedColumn.of(np.full(bags, share)),
        "pattern": CodedColumn.of(np.full(bags, "instances" if share else "")),
    }
    offsets = np.arange(bags + 1) * WINDOW * INSTANCES
    return BagSet.of_parts(signed.astype(np.int32).ravel(), offsets, columns, WINDOW)
