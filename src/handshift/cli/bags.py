"""handshift bags: labelled bags of words from word vectors, stage 2 of the source."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from handshift.bag.make_bags import MadeBags

WORDS, SOURCE = "Protocol words", "Protocol source"


def bags(
    vectors: Annotated[Path, typer.Argument(help="Folder or .npy of word vectors, words.csv beside them.")],
    out: Annotated[Path, typer.Option(help="Folder for the bags of each part, split.json and bags.json.")],
    protocol: Annotated[
        str, typer.Option(help="words: words are replaced; source: whole windows of five words are.")
    ] = "words",
    split: Annotated[
        Path | None, typer.Option(help="Writer split; without one 60:20:20 by writer, saved in OUT.")
    ] = None,
    share: Annotated[
        list[float] | None,
        typer.Option(help="Share of foreign words or windows, as 0.1; as often as you like."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    size: Annotated[int, typer.Option(min=2, rich_help_panel=WORDS, help="Words of a bag.")] = 14,
    pattern: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=WORDS,
            help="Where foreign words stand: block, front, middle, back, blocks (two of them), scattered or "
            "lines (alternating); as often as you like. Default: block and scattered.",
        ),
    ] = None,
    hands: Annotated[
        list[int] | None,
        typer.Option(rich_help_panel=WORDS, help="Writers of a mixed bag; as often as you like. Default: 2."),
    ] = None,
    spliced: Annotated[
        bool,
        typer.Option(
            "--spliced/--no-spliced",
            rich_help_panel=WORDS,
            help="Two in three one-hand bags from two sessions of the writer.",
        ),
    ] = False,
    count: Annotated[
        int,
        typer.Option(min=6, rich_help_panel=WORDS, help="Train bags; validation and test have a third."),
    ] = 6000,
    balance: Annotated[
        float, typer.Option(min=0.01, rich_help_panel=SOURCE, help="Mixed bags for each single one.")
    ] = 2.0,
) -> None:
    """Make labelled bags for `handshift train detect --bags`, and print how many there are of each share.

    The parts train, validation and test share no writer; a split that does is refused. OUT holds a folder of
    arrays for each part, the split, and bags.json with the options and the counts.

    Example: handshift bags runs/vectors --protocol source --out runs/bags

    Example: handshift bags runs/vectors --out runs/bags --pattern front --pattern scattered --hands 3
    """
    from handshift.bag.bag_folder import save_bag_folder
    from handshift.bag.make_bags import BagOptions, make_bags, split_by_writer
    from handshift.corpus.split import WriterSplit
    from handshift.embedding.word_vectors import WordVectors

    defaults = BagOptions()
    options = BagOptions(
        protocol=protocol,
        words=size,
        shares=tuple(share or ()),
        patterns=tuple(pattern or defaults.patterns),
        hands=tuple(hands or defaults.hands),
        spliced=spliced,
        count=count,
        mixed_per_single=balance,
        seed=seed,
    )
    table = WordVectors.load(vectors)
    writers = WriterSplit.load(split) if split else split_by_writer(table, vectors.stem, seed)
    made = make_bags(table, writers, options)
    save_bag_folder(made, vectors, table, writers, options.record(), out)
    typer.echo(_counts(made, options.most_hands))
    typer.echo(f"{out}: {sum(map(len, made.parts.values())):,} bags")


def _counts(made: MadeBags, most_hands: int) -> str:
    """Bags of every part by kind and share, before and after balancing."""
    from handshift.bag.make_bags import counts_of

    lines = []
    for part, bags in made.parts.items():
        after = counts_of(bags)
        lines.append(f"{part}: {sum(made.before[part].values()):,} bags, {len(bags):,} after balancing")
        lines += [f"  {name:<12} {n:>7,} → {after.get(name, 0):>7,}" for name, n in made.before[part].items()]
    lines += [
        f"{part} is left out: {writers} writer{'s' * (writers != 1)}, a mixed bag needs {most_hands}"
        for part, writers in made.left_out.items()
    ]
    return "\n".join(lines)
