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
