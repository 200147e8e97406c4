"""Networks side by side on every database, under other pens and at other resolutions."""

from __future__ import annotations

from measured.markdown import Tree, row, spread

_MODELS = ("words-3", "words-4")


def databases_text(databases: Tree) -> str:
    """AUC of word pairs and page pairs of held-out writers, by database and model."""
    heads = [f"{unit}, {model}" for unit in ("words", "pages") for model in _MODELS]
    lines = [row("AUC, test writers", ["writers", *heads]), f"|---|{'---|' * (len(heads) + 1)}"]
    for name, found in databases.items():
        if not isinstance(found, dict) or _MODELS[0] not in found or "writers" not in found:
            continue
        cells = [
            spread(found[model][unit]["auc"]) if unit in found[model] else "–"
            for unit in ("words", "pages")
            for model in _MODELS
        ]
        lines.append(row(name, [str(found["writers"]), *cells]))
    means = databases["mean_word_auc"]
    lines.append(row("mean", ["", *[f"{means[model]:.3f}" for model in _MODELS], "", ""]))
    return "\n".join(lines)


def mixed_text(mixed: Tree) -> str:
    """AUC of 14-word bags with another hand's block against one-hand bags, by database and model."""
    columns = [(share, model) for share in ("30%", "50%") for model in _MODELS]
    lines = [
        row("AUC, 14 words, test writers", ["writers", *[f"{share}, {model}" for share, model in columns]]),
        f"|---|{'---|' * (len(columns) + 1)}",
    ]
    for name, found in mixed.items():
        if not isinstance(found, dict) or _MODELS[0] not in found:
            continue
        cells = [
            "{:.3f} ({:.3f}–{:.3f})".format(figures["auc"], *figures["interval"])
            for figures in (found[model][share] for share, model in columns)
        ]
        lines.append(row(name, [str(found["writers"]), *cells]))
    return "\n".join(lines)


def pens_text(pens: Tree) -> str:
    """Page pairs under two pens, and pages half and half, for each model."""
    models = [name for name in pens if isinstance(pens[name], dict) and "strokes" in pens[name]]
    lines = [row("test writers of pen strokes, drawn with five pens", models), f"|---|{'---|' * len(models)}"]
    for kind in ("one pen", "two pens"):
        cells = [f"{pens[model]['strokes'][f'auc, {kind}']:.3f}" for model in models]
        lines.append(row(f"page pairs of one writer with {kind} against two people: AUC", cells))
    for kind in ("two pens", "two people"):
        cells = [f"{pens[model]['half and half'][kind]['flagged']:.1%}" for model in models]
        lines.append(row(f"half and half, {kind}: flagged where 5 % with one pen are", cells))
    for part in ("strokes", "sessions"):
        shares = [pens[model][part]["variance"]["between writers"] for model in models]
        label = "pens and texts" if part == "strokes" else "CSAFE sessions"
        lines.append(row(f"variance between writers, beside {label}", [f"{one:.1%}" for one in shares]))
    return "\n".join(lines)


def scale_text(scale: Tree) -> str:
    """Median cosine of a word's vector at another resolution with that at 150 dpi, for each model."""
    models = [name for name in scale if isinstance(scale[name], dict) and "150 dpi" in scale[name]]
    steps = list(scale[models[0]])
    lines = [row("median cosine (lowest 5 %)", steps), f"|---|{'---|' * len(steps)}"]
    for model in models:
        cells = [
            f"{scale[model][step]['median']:.3f} ({scale[model][step]['lowest 5 %']:.2f})" for step in steps
        ]
        lines.append(row(model, cells))
    return "\n".join(lines)
