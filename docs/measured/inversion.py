"""Whether pictures reconstructed by inversion are assigned to their writer."""

from __future__ import annotations

from measured.markdown import Tree, measured


def inversion_text(inversion: Tree) -> str:
    """Say to whom recovered pictures are given, by a judge and by the model, and real words beside."""
    given = inversion["given_to_the_right_writer"]
    chance, recovered = f"{given['chance']:.4f}", f"{inversion['pictures']} recovered pictures"
    lines = [
        f"| {inversion['writers']} writers known to both | given to their writer | interval | chance |",
        "|---|---|---|---|",
        measured(f"{recovered}, by the judge", given["by the judge"], chance),
        measured(f"{recovered}, by the inverted model", given["by the model itself"], chance),
    ]
    real = inversion["real_words_given_to_the_right_writer_by_the_judge"]
    lines.append(measured("real words of the same writers, by the judge", real, chance))
    picture = "![Pictures of 24 hands, one each, reconstructed from class centres](images/inversion.png)"
    return "\n".join([*lines, "", picture])
