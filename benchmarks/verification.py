"""Verification of word pairs and page pairs of test writers, and the size of the model.

Word pairs are balanced and cross sessions. Page pairs have other prompts, and other sessions where one writer
wrote both. The page score of the product is "two-covariance LR"; the others are what it was chosen over.

Example: python benchmarks/verification.py --data ../shared/data/csafe --words runs/words/words
"""

from __future__ import annotations

import numpy as np
from known_writers import known_writers, known_writers_benchmark

from handshift.bag.page_pairs import page_pairs
from handshift.bag.pages import pages_of
from handshift.models.shipped_models import ShippedModel
from handshift.validation.verification_figures import SEED, page_verification, word_verification


def main() -> None:
    benchmark = known_writers_benchmark(__file__, __doc__)
    benchmark.options.add_argument("--pairs", type=int, default=20_000, help="word pairs")
    benchmark.options.add_argument(
        "--impostors", type=int, default=1_000_000, help="word pairs for small FAR"
    )
    benchmark.options.add_argument("--repeats", type=int, default=300, help="draws of writers for intervals")
    given = benchmark.begin()
    known = known_writers(given)
    table, writers, model, vectors = known.table, known.writers, known.model, known.vectors
    pages = page_pairs(pages_of(table, writers))
    result: dict[str, object] = {
        "model": _size(model),
        "part": given.part,
        "writers": len(writers),
        "seed": SEED,
        "words": word_verification(
            table,
            vectors,
            list(writers),
            ink=known.ink,
            pairs=given.pairs,
            impostors=given.impostors,
            repeats=given.repeats,
            model=model,
            sizes=table.size,
        ),
        "pages": page_verification(pages, vectors, model, repeats=given.repeats, sizes=table.size),
    }
    benchmark.write(result)


def _size(model: ShippedModel) -> dict[str, object]:
    path = model.folder / "words.onnx"
    facts: dict[str, object] = {"id": model.card.id, "network_bytes": path.stat().st_size}
    try:
        import onnx
    except ImportError:
        return facts
    weights = onnx.load(path).graph.initializer
    floats = (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16, onnx.TensorProto.INT8, onnx.TensorProto.UINT8)
    counted = [int(np.prod(one.dims)) for one in weights if one.data_type in floats]
    total = sum(file.stat().st_size for file in model.folder.iterdir() if file.is_file())
    return facts | {"parameters": sum(counted), "all_bytes": total}


if __name__ == "__main__":
    main()
