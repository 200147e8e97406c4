"""Pages that share a hand in collections of a few writers: where `clusters` draws its line.

Collections are drawn from the pages of validation writers, of one database or of several; their pages are
indexed by the vectors of their words, as `handshift index` does with a folder of `handshift embed`. Pairs of
pages that `clusters` puts together are right if one person wrote both. The line was chosen by this table.
Example: python benchmarks/small_collections.py --vectors runs/vectors
"""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
from find_archive import DATABASES
from result_file import Benchmark

from handshift.corpus.split import WriterSplit
from handshift.embedding.word_vectors import vectors_by_network
from handshift.models.shipped_models import ShippedModel, find_model
from handshift.store.archive_clusters import LEAST, shared_hands
from handshift.store.archive_store import ArchiveStore
from handshift.store.find_hand import HandSearch
from handshift.store.index_pages import FEWEST_WORDS, hands_finder, page_size, page_vector
from handshift.store.page_entry import PageEntry

LINES = (0.5, 0.75, 1.0, LEAST, 1.5, 2.0)
SIZES = {3: 3, 6: 4, 12: 4, 25: 5}
"""Writers of a collection: pages of each."""
DRAWN = 12
"""Collections of each size and database."""

Pages = Mapping[str, list[PageEntry]]
"""By writer."""


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    benchmark.options.add_argument("--vectors", type=Path, required=True, help="of `corpus embed`")
    benchmark.options.add_argument("--model", help="id or folder; the default model if none")
    given = benchmark.begin()
    shipped = find_model(given.model)
    split = WriterSplit.load(given.vectors / "split.json")
    pages = entries(given.vectors, shipped, frozenset(split.parts["validation"]))
    rng = np.random.default_rng(0)
    rows = []
    for database in ("", *DATABASES):
        own = {writer: pages[writer] for writer in sorted(pages) if writer.startswith(database)}
        for writers, each in SIZES.items():
            if writers <= len(own):
                drawn = [collection(own, writers, each, rng) for _ in range(DRAWN)]
                figures = joined(drawn, shipped, given.model)
                rows.append({"database": database or "several", "writers": writers, "pages": each, **figures})
                print(rows[-1], flush=True)
    shown = {"id": shipped.card.id, "fingerprint": shipped.fingerprint()}
    benchmark.write({"model": shown, "collections": DRAWN, "least": LEAST, "rows": rows})


def entries(folder: Path, shipped: ShippedModel, writers: frozenset[str]) -> Pages:
    """The pages of some writers, by the vectors of their words."""
    table = vectors_by_network(shipped.folder / "words.onnx", folder)
    find_hands = hands_finder(shipped)
    of_page: dict[str, list[int]] = defaultdict(list)
    for row in np.flatnonzero(np.isin(table.writer, list(writers))):
        of_page[str(table.page[row])].append(int(row))
    found: dict[str, list[PageEntry]] = defaultdict(list)
    for page, rows in of_page.items():
        if len(rows) < FEWEST_WORDS:
            continue
        vectors = np.asarray(table.vectors[rows])
        sizes = np.full(len(rows), np.nan) if table.size is None else np.asarray(table.size[rows])
        hands = find_hands(vectors, sizes)
        entry = PageEntry(page, page, 1, len(rows), page_vector(vectors), page_size(sizes), hands)
        found[str(table.writer[rows[0]])].append(entry)
    return found


def collection(pages: Pages, writers: int, each: int, rng: np.random.Generator) -> Pages:
    """Some writers, and some pages of each."""
    return {
        str(writer): [pages[str(writer)][place] for place in rng.permutation(len(pages[str(writer)]))[:each]]
        for writer in rng.choice(list(pages), writers, replace=False)
    }


def joined(drawn: list[Pages], shipped: ShippedModel, model: str | None) -> dict[str, Any]:
    """Precision and recall of the pairs of pages that share a group, by the line, over all collections."""
    together, right, own, hands = Counter[float](), Counter[float](), 0, 0
    dimensions = int(shipped.covariances().projection.shape[0])
    for pages in drawn:
        writer = {entry.file: name for name, listed in pages.items() for entry in listed}
        own += sum(comb(len(listed), 2) for listed in pages.values())
        with tempfile.TemporaryDirectory() as folder:
            store = ArchiveStore.create(folder, shipped.card.id, shipped.fingerprint(), dimensions)
            for listed in pages.values():
                for entry in listed:
                    store.add(entry)
            store.flush()
            search = HandSearch(folder, model)
            hands += int((search.index.hand >= 0).sum())
            for line in LINES:
                for group in shared_hands(search, line):
                    names = [writer[file] for file in {entry.file for entry, _ in group.members}]
                    together[line] += comb(len(names), 2)
                    right[line] += sum(comb(count, 2) for count in Counter(names).values())
    return {
        "hands": round(hands / len(drawn), 1),
        "lines": {
            f"{line:g}": {
                "precision": round(right[line] / max(1, together[line]), 4),
                "recall": round(right[line] / own, 4),
            }
            for line in LINES
        },
    }


if __name__ == "__main__":
    main()
