"""handshift embed: the word vectors of a whole corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handshift.cli.engine_options import AddressOption, EngineOption, WorkersOption, engine_choice


def embed(
    data: Annotated[
        Path, typer.Argument(help="Corpus folder or manifest; `<writer>/<word>_<repetition>.png` will do.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for vectors.npy, words.csv and words.parquet.")],
    model: Annotated[
        str | None,
        typer.Option(
            help="Folder of a training, words.onnx, or a model's id or folder; the default model if none."
        ),
    ] = None,
    cut: Annotated[
        str | None,
        typer.Option(help="What a file holds: page, word or picture; word where naver_ocr.csv lists words."),
    ] = None,
    words: Annotated[
        Path | None, typer.Option(help="Word crops to reuse: OUT/words of a training, or OUT/crops.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option(help="Also write unit rows as CSV: label, path, embedding_0, …")
    ] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads of the processor.")] = 2,
    engine: EngineOption = None,
    workers: WorkersOption = None,
    address: AddressOption = None,
) -> None:
    """Embed every word of a corpus: stage 1, whose folder `handshift bags` and `train detect` read.

    Rows are weighted: a row's length is the word's weight. The network need not be calibrated. Files without
    a word are skipped, counted, and listed in OUT/crops/skipped.csv.

    Example: handshift embed letters --model runs/words --out runs/vectors --csv runs/vectors.csv
    """
    from handshift.embedding.embed_corpus import embed_corpus
    from handshift.models.shipped_models import find_network

    network = find_network(model)
    chosen = engine_choice(engine, workers, address)
    on = chosen.start() if chosen else None
    typer.echo(embed_corpus(data, out, network, cut=cut, words=words, csv=csv, threads=threads, engine=on))
