"""handshift evaluate: verification and identification of known writers by word vectors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer


def evaluate(
    vectors: Annotated[Path, typer.Argument(help="Folder that `handshift embed` wrote.")],
    split: Annotated[
        Path | None, typer.Option(help="Writer split; all writers of the vectors if none.")
    ] = None,
    part: Annotated[str, typer.Option(help="Part of the split to evaluate.")] = "test",
    model: Annotated[
        str | None,
        typer.Option(
            help="Model or training of the vectors; a calibrated one compares pages by likelihood ratio."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Also write all figures as JSON.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print all figures as JSON.")] = False,
    pairs: Annotated[int, typer.Option(min=2, help="Balanced word pairs.")] = 20_000,
    impostors: Annotated[int, typer.Option(min=1, help="Word pairs for low false-accept rates.")] = 1_000_000,
    repeats: Annotated[int, typer.Option(min=1, help="Bootstrap samples of writers.")] = 300,
    rounds: Annotated[int, typer.Option(min=1, help="Draws of enrolled pages.")] = 20,
) -> None:
    """Measure how well word vectors verify and identify writers whom the network was not trained on.

    Verification: AUC, EER, TAR at FAR 1e-3 to 1e-5 and 10-fold accuracy of word pairs and of page pairs.
    Identification: rank 1 and 5 by prototypes, mean and attention, of pages and of five words.

    Example: handshift evaluate runs/vectors --split studies/splits/csafe.json --model runs/words
    """
    from handshift.core.atomic import write_text
    from handshift.validation.evaluate import evaluate_vectors

    figures = evaluate_vectors(
        vectors,
        split,
        part=part,
        model=model,
        pairs=pairs,
        impostors=impostors,
        repeats=repeats,
        rounds=rounds,
    )
    content = json.dumps(figures, indent=1, ensure_ascii=False) + "\n"
    if out is not None:
        write_text(out, content)
    typer.echo(content if json_ else "\n".join(_lines(figures)), nl=not json_)


def _lines(figures: dict[str, Any]) -> list[str]:
    lines = [f"{figures['writers']} writers"]
    for kind in ("words", "pages"):
        if (found := figures[kind]) is None:
            lines.append(f"{kind}: not measured; it needs pages of 8 words, two by one writer")
            continue
        tar = ", ".join(
            f"{name.removeprefix('tar_at_far_')} {one['value']:.3f}"
            + ("" if one["enough"] else " (too few pairs)")
            for name, one in found.items()
            if name.startswith("tar_at_far_")
        )
        lines += [
            f"{kind}: AUC {_with_interval(found['auc'])} (chance 0.5), EER {_with_interval(found['eer'])}, "
            f"10-fold accuracy {found['accuracy_10_fold']['value']:.3f} (chance 0.5)",
            f"{kind}: TAR at FAR {tar}",
        ]
    if figures["identification"] is None:
        lines.append("identification: not measured; it needs writers with pages of 5 words in two sessions")
    for name, by in (figures["identification"] or {}).items():
        for how, found in by.items():
            lines.append(
                f"identification by {name}, {how}: rank 1 {_with_interval(found['rank_1'])} "
                f"(chance {found['chance']['rank_1']:.3f}), rank 5 {_with_interval(found['rank_5'])}"
            )
    return lines


def _with_interval(figure: dict[str, Any]) -> str:
    low, high = figure["interval"]
    return f"{figure['value']:.3f} ({low:.3f}–{high:.3f})"
