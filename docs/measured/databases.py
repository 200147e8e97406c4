"""Networks side by side on every database, under other pens and at other resolutions."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

from handshift.study.intervals import load_intervals
from handshift.study.results import Results
from measured.markdown import Tree, percent, row, spread
from measured.sources import load_benchmark

_MODELS = ("words-3", "words-4")
_LEFT_OUT = (
    ("csafe", "csafe", "without csafe"),
    ("iam", "iam (forms, lines and strokes)", "without iam"),
    ("iam", "iam-strokes alone", "without iam-strokes"),
    ("iam-strokes", "iam (forms, lines and strokes)", "without iam"),
    ("copiste", "copiste", "without copiste"),
    ("khatt", "khatt and ahawp", "without arabic"),
    ("ahawp", "khatt and ahawp", "without arabic"),
    ("dhsd", "dhsd, in every training", "all"),
)
"""Database, what is left out for it, and the variant of the study."""
_WITH_FEW = ("csafe alone", "open licences alone")


def databases_text(databases: Tree) -> str:
    """AUC of word pairs and page pairs of held-out writers, by database and model."""
    means = databases["mean_word_auc"]
    models = list(means)
    heads = [f"{unit}, {_named(model)}" for unit in ("words", "pages") for model in models]
    lines = [row("AUC, test writers", ["writers", *heads]), f"|---|{'---|' * (len(heads) + 1)}"]
    for name, found in databases.items():
        if not isinstance(found, dict) or models[0] not in found or "writers" not in found:
            continue
        cells = [
            spread(found[model][unit]["auc"]) if unit in found[model] else "–"
            for unit in ("words", "pages")
            for model in models
        ]
        lines.append(row(name, [str(found["writers"]), *cells]))
    lines.append(row("mean", ["", *[f"{means[model]:.3f}" for model in models], *[""] * len(models)]))
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


def verdicts_text(verdicts: Tree) -> str:
    """How far the log10 LR of a page moves with the resolution, with the same word boxes and with its own."""
    kinds = [kind for kind in ("same boxes", "own boxes") if kind in verdicts]
    steps = list(verdicts[kinds[0]]["by resolution"])
    limit = verdicts["limit"]
    heads = [
        "pages",
        f"within {limit} at every one",
        "largest move, 95 % of pages",
        *[f"{one} dpi" for one in steps],
    ]
    lines = [row("log10 LR against 150 dpi", heads), f"|---|{'---|' * len(heads)}"]
    for kind in kinds:
        found = verdicts[kind]
        each = [
            f"{found['by resolution'][one]['median move']:.2f}, {found['by resolution'][one]['95 %']:.2f}"
            for one in steps
        ]
        cells = [str(found["pages"]), percent(found["within"]), f"{found['95 % of pages']:.2f}", *each]
        lines.append(row(kind, cells))
    return "\n".join(lines)


def families_text(results: Results) -> str:
    """Word AUC on a database whose family was left out, beside training with all, csafe alone and words-3."""
    shipped = load_benchmark("databases")
    differences = {
        (one.group, one.variant): one for one in load_intervals(results.folder) if one.metric == "auroc"
    }
    heads = ["left out", "words-3", *_WITH_FEW, "all databases", "family left out", "difference"]
    lines = [row("word AUC, test writers", heads), f"|---|{'---|' * len(heads)}"]
    for database, left_out, variant in _LEFT_OUT:
        before = "–" if shipped is None else f"{shipped[database]['words-3']['words']['auc']['value']:.3f}"
        figures = [_seed_mean(results, database, name) for name in (*_WITH_FEW, "all", variant)]
        known = differences.get((database, variant))
        apart = "–"
        if variant != "all" and known is not None:
            low, high = known.delta_low, known.delta_high
            apart = f"{figures[-1] - figures[-2]:+.3f} ({low:+.3f} to {high:+.3f})"
        cells = [f"{figure:.3f}" for figure in figures]
        lines.append(row(database, [left_out, before, *cells, apart]))
    return "\n".join(lines)


def _named(model: str) -> str:
    """A shipped model by its name, a network's file by its folder's."""
    return Path(model).parent.name if model.endswith(".onnx") else model


def _seed_mean(results: Results, database: str, variant: str) -> float:
    found = results.values("auroc", database, variant)
    return fmean(found.values())
