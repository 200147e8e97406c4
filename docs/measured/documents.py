"""Hands linked across the pages of documents, beside simpler ways to cluster them."""

from __future__ import annotations

from measured.markdown import Tree, row, spread

_DATABASES = ("csafe", "iam", "copiste")
_CLUSTERINGS = ("agglomerative, cosine", "spectral, eigengap", "components of verify")


def documents_text(documents: Tree) -> str:
    """A column for every database: page pairs, documents, substituted pages."""
    found = [documents[name] for name in _DATABASES]
    writers = [f"{name}, {one['writers']} writers" for name, one in zip(_DATABASES, found, strict=True)]
    lines = [row(f"model {documents['model']}, {documents['part']} writers", writers), "|---|---|---|---|"]
    pairs = {
        "two pages by two writers are two hands": "two_told_as_two",
        "two pages of one writer are one hand": "one_told_as_one",
        "Cllr of page pairs": "cllr",
        "Cllr_cal": "cllr_cal",
    }
    lines += [row(label, [spread(one["pairs"][key]) for one in found]) for label, key in pairs.items()]
    ours = [one["documents"]["handshift"] for one in found]
    lines.append(row("documents: B-cubed F1", [spread(one["b_cubed_f1"]) for one in ours]))
    lines.append(row("at the worst number of pages", [f"{one['worst_size']:.3f}" for one in ours]))
    lines.append(row("number of writers within one", [spread(one["within_one"]) for one in ours]))
    for name in _CLUSTERINGS:
        cells = [spread(one["documents"][name]["b_cubed_f1"]) for one in found]
        lines.append(row(f"B-cubed F1, {name}", cells))
    agree = [f"{one['agreement']['agree']:.4f} of {one['agreement']['pairs']:,}" for one in found]
    lines.append(
        row("`hands` has the sign of `verify` where the ratio is 10 or more, or a tenth or less", agree)
    )
    swapped = documents["csafe"]["substituted"]
    lines.append(
        row("substituted page found, no other", [spread(swapped["found_and_no_other_page"]), "", ""])
    )
    intact = spread(swapped["intact_with_a_page_set_apart"])
    lines.append(row("intact documents with a page set apart", [intact, "", ""]))
    return "\n".join(lines)
