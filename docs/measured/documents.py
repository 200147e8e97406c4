"""Hands linked across the pages of documents, entries of lists, and equal words of two sides."""

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
    misleading = {
        "two writers, ratio above 1": "two writers, log10 LR above 0",
        "two writers, ratio above 10": "two writers, log10 LR above 1",
        "one writer, ratio below 1": "one writer, log10 LR below 0",
        "one writer, ratio below a tenth": "one writer, log10 LR below -1",
    }
    for label, key in misleading.items():
        lines.append(row(f"misleading: {label}", [spread(one["pairs"]["misleading"][key]) for one in found]))
    phrases = documents["csafe, phrases"]
    for label, key in pairs.items():
        lines.append(row(f"pages of one phrase (PHR): {label}", [spread(phrases[key]), "", ""]))
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


def sizes_text(documents: Tree) -> str:
    """The same with the size of the writing, in one sentence."""
    found = [documents[name] for name in _DATABASES]
    separated = ", ".join(f"{one['pairs']['two_told_as_two']['value']:.3f}" for one in found)
    f1 = ", ".join(f"{one['documents']['handshift']['b_cubed_f1']['value']:.3f}" for one in found)
    within = ", ".join(f"{one['documents']['handshift']['within_one']['value']:.3f}" for one in found)
    return (
        f"With the size of the writing compared too: two writers are two hands {separated}; B-cubed F1 {f1}; "
        f"number of writers within one {within}."
    )


def lists_text(lists: Tree) -> str:
    """A column for every database: pairs of entries ranked, beside the cosine of mean vectors."""
    found = [lists[name] for name in _DATABASES]
    lines = [row(f"model {lists['model']}, {lists['part']} writers", _DATABASES), "|---|---|---|---|"]
    figures = {
        "entries of a list": ("entries", ".0f"),
        "mAP": ("map", ".3f"),
        "spread of mAP over lists": ("map_spread", ".3f"),
        "mAP, cosine of mean vectors": ("cosine_map", ".3f"),
        "mAP by chance": ("chance_map", ".4f"),
        "recall at one false pair": ("recall_at_one_false_pair", ".3f"),
        "recall at one false pair, cosine": ("cosine_recall_at_one_false_pair", ".3f"),
        "false pairs where one is stated": ("false_pairs_at_one_stated", ".2f"),
        "recall where one false pair is stated": ("recall_at_one_stated", ".3f"),
    }
    lines += [row(label, [f"{one[key]:{form}}" for one in found]) for label, (key, form) in figures.items()]
    return "\n".join(lines)


def long_list_text(lists: Tree) -> str:
    """One list with distractors."""
    one = lists["long"]
    return (
        f"A list of {one['entries']:.0f} lines, {one['distractors']} of them {one['distractors_are']}: mAP "
        f"{one['map']:.3f}, recall at one false pair {one['recall_at_one_false_pair']:.2f}; where one false "
        f"pair is stated, {one['false_pairs_at_one_stated']:.0f} are found; by the cosine of mean vectors "
        f"mAP {one['cosine_map']:.3f}, recall {one['cosine_recall_at_one_false_pair']:.2f}; all compared and "
        f"grouped in {one['seconds_of_comparison']:.1f} s."
    )


def equal_words_text(equal: Tree) -> str:
    """How often the words of a pair are equal."""
    databases = ("csafe", "copiste")
    found = [equal[name] for name in databases]
    lines = [row(f"{equal['part']} writers", databases), "|---|---|---|"]
    shares = [
        f"{one['equal']:.3f} ({one['interval'][0]:.3f}–{one['interval'][1]:.3f})"
        if one["pairs_judged"]
        else "–"
        for one in found
    ]
    lines.append(row("pairs of pages", [f"{one['page_pairs']:,}" for one in found]))
    lines.append(row("word pairs shown that are equal", shares))
    lines.append(
        row("judged, not judged", [f"{one['pairs_judged']:,}, {one['pairs_not_judged']:,}" for one in found])
    )
    lines.append(
        row("letters shown for a pair of pages", [f"{one['letters_a_page_pair']:.1f}" for one in found])
    )
    lines.append(row("words read right", [f"{one['read_right']:.3f}" for one in found]))
    return "\n".join(lines)


def cost_text(results: Tree) -> str:
    """Time and memory of the command on many pages."""
    return (
        f"{results['pages']} CSAFE pages as one document, from the start of the command to its end: "
        f"{results['seconds']:.0f} s on two cores ({results['processor_seconds']:.0f} s of processor time), "
        f"{results['peak_megabytes_of_all_processes']:.0f} MB in all processes at the peak. "
        f"Command: `{results['command']}`."
    )
