"""Draw which room of the package imports which: ``python docs/room_graph.py``.

The table and the picture of docs/architecture.md come from the source files' import statements, those inside
functions and under TYPE_CHECKING included, and from ``module:attribute`` strings that are imported by name.
tests/test_architecture.py compares both with the code and holds the order of the rooms.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "handshift"
PAGE = ROOT / "docs" / "architecture.md"
PICTURE = ROOT / "docs" / "images" / "rooms.svg"

LAYERS: tuple[tuple[str, ...], ...] = (
    ("core",),
    ("metrics", "engine"),
    ("page",),
    ("corpus",),
    ("training", "demo"),
    ("embedding",),
    ("bag",),
    ("detect",),
    ("calibration",),
    ("attribution",),
    ("report",),
    ("models",),
    ("pipeline", "healthmap"),
    ("validation", "store"),
    ("study", "web"),
    ("cli",),
)
"""A room imports from earlier layers only, never from its own or a later one. Not every room is built yet."""

HOLDS = {
    "core": "errors, atomic writes, folder locks, ONNX sessions, figures",
    "metrics": "AUROC, EER, Cllr, AUPRO, bootstrap over writers, folds",
    "page": "scans, ink, deskewing, line and word segmentation; PAGE-XML, ALTO, TEI",
    "corpus": "corpus readers, writer-disjoint splits, synthetic scribes",
    "training": "the training loop: checkpoints, schedules, evaluation, resuming",
    "demo": "the two bundled pages",
    "embedding": "word crops, the word network at run time, its training and export, galleries",
    "bag": "documents of known truth, drawn from word vectors",
    "detect": "PLDA, partition likelihood ratio, MIL networks, their combination",
    "calibration": "scores to likelihood ratios: two-slope, logistic, isotonic, kernel; ELUB bounds",
    "attribution": "how many hands, which hand wrote each word (HMM, variational Bayes), links across pages",
    "report": "JSON, HTML, PDF, strip chart",
    "models": "the shipped models and how a model folder is loaded",
    "pipeline": "from file to finding: `Examiner`, `HandFinder`, `Comparer`, `Identifier`",
    "healthmap": "the same question for gearboxes: maps, simulation, Dinomaly, PatchCore",
    "validation": "the validation protocol on known writers",
    "store": "the pages and hands of an archive as vectors: index, search, clusters",
    "engine": "where work runs: processes of this machine, or Ray",
    "study": "variants over seeds, with intervals and tests of significance",
    "web": "the workbench: cases, queue, audit log, API and its page",
    "cli": "the commands",
}


@dataclass(frozen=True, slots=True)
class Import:
    """One import of a module of the package by another."""

    importer: str
    """Dotted name of the importing module."""
    imported: str
    """Dotted name of the imported module or package."""
    member: str
    """What is taken from it; empty where the module itself is imported."""
    place: str
    """``path:line`` relative to the repository."""
    by_name: bool
    """Whether a string names the module, as in a registry of plug-ins that are loaded on demand."""


def modules() -> dict[str, Path]:
    """Every module and package of handshift by its dotted name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = ("handshift", *path.relative_to(PACKAGE).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(known: Mapping[str, Path]) -> Iterator[Import]:
    """Every import between modules of the package, wherever in the file it stands."""
    for name, path in known.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for module, member in _targets(node, known):
                place = f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"
                yield Import(name, module, member, place, isinstance(node, ast.Constant))


def _targets(node: ast.AST, known: Mapping[str, Path]) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Import):
        yield from ((alias.name, "") for alias in node.names if alias.name in known)
    elif isinstance(node, ast.ImportFrom) and node.module:
        if node.level:
            raise ValueError(f"line {node.lineno}: relative import; name the module in full")
        for alias in node.names:
            module = f"{node.module}.{alias.name}"
            if module in known:
                yield module, ""
            elif node.module in known:
                yield node.module, alias.name
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        spelled = re.fullmatch(r"(handshift(?:\.\w+)+)(?::(\w+))?", node.value)
        if spelled and spelled[1] in known:
            yield spelled[1], spelled[2] or ""


def room(module: str) -> str:
    """The room a module stands in; empty for the top of the package (`handshift`, `handshift.__main__`)."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and not parts[1].startswith("__") else ""


def rooms(known: Mapping[str, Path]) -> list[str]:
    """The rooms that exist, in the order of `LAYERS`."""
    present = {room(module) for module in known} - {""}
    return [name for layer in LAYERS for name in layer if name in present]


def uses(known: Mapping[str, Path]) -> dict[str, set[str]]:
    """Room → the rooms it imports from."""
    found: dict[str, set[str]] = {name: set() for name in rooms(known)}
    for one in imports(known):
        importer, imported = room(one.importer), room(one.imported)
        if importer and imported and importer != imported:
            found[importer].add(imported)
    return found


def table(used: Mapping[str, set[str]]) -> str:
    """Markdown: each room, what it holds, what it imports from."""
    lines = ["| room | holds | imports from |", "|---|---|---|"]
    for name in used:
        others = ", ".join(f"`{other}`" for other in used if other in used[name])
        lines.append(f"| `{name}` | {HOLDS[name]} | {others or '–'} |")
    return "\n".join(lines)


def picture(used: Mapping[str, set[str]]) -> str:
    """SVG: the dependency matrix. A dot in row r, column c: room r imports from room c."""
    cell, left, top = 26, 110, 96
    names = list(used)
    side = cell * len(names)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + side + 60} {top + side + 10}" '
        'font-family="sans-serif" font-size="13" role="img">',
        "<title>Which room imports from which; every dot lies below the diagonal</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    for row, name in enumerate(names):
        y = top + cell * row
        shade = "#f4f6f8" if row % 2 else "#ffffff"
        x = left + cell * row
        parts += [
            f'<rect x="{left}" y="{y}" width="{side}" height="{cell}" fill="{shade}"/>',
            f'<rect x="{x}" y="{y}" width="{cell}" height="{cell}" fill="#cfd8dc"/>',
            f'<text x="{left - 8}" y="{y + 17}" text-anchor="end">{name}</text>',
            f'<text transform="translate({x + 17},{top - 8}) rotate(-55)">{name}</text>',
        ]
        parts += [
            f'<circle cx="{left + cell * column + cell // 2}" cy="{y + cell // 2}" r="5" fill="#0072B2"/>'
            for column, other in enumerate(names)
            if other in used[name]
        ]
    return "\n".join([*parts, "</svg>", ""])


def page_with(used: Mapping[str, set[str]], text: str) -> str:
    """The page's text with the table between its marks."""
    begin, end = "<!-- rooms:begin -->\n", "<!-- rooms:end -->"
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"{PAGE}: no {begin.strip()} … {end} to fill")
    return f"{before}{begin}{table(used)}\n{end}{after}"


if __name__ == "__main__":
    graph = uses(modules())
    PICTURE.write_text(picture(graph), encoding="utf-8")
    PAGE.write_text(page_with(graph, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"{PICTURE.relative_to(ROOT)}\n{PAGE.relative_to(ROOT)}")
