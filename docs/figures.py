"""Fill the documents with what was measured: ``python docs/figures.py``.

Tables come from results/spine.json and the shipped model's card, the picture from the demo page. Run it after
either changes; a test compares.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results" / "spine.json"
SHORT = ("auc", "eer")
"""Figures that the README shows; the results page shows all."""
TITLES = {"auc": "AUC", "auroc": "AUC", "eer": "EER", "cllr": "Cllr", "cllr_min": "Cllr min"}

Row = tuple[str, Mapping[str, float]]


def rows(results: Mapping[str, Any], place: tuple[str, ...] = ()) -> Iterator[Row]:
    """Every innermost group of numbers, named by the way to it."""
    figures = {name: value for name, value in results.items() if isinstance(value, (int, float))}
    if figures and place:
        yield ", ".join(part.replace("_", " ") for part in place), figures
    for name, value in results.items():
        if isinstance(value, Mapping):
            yield from rows(value, (*place, name))


def table(found: list[Row], only: tuple[str, ...] | None = None) -> str:
    """Lay rows out as Markdown, one column a figure."""
    names = list(dict.fromkeys(name for _, figures in found for name in figures))
    if only:
        names = [name for name in names if name in only]
        found = [row for row in found if set(names) & set(row[1])]
    heads = [TITLES.get(name, name.replace("_", " ")) for name in names]
    lines = [f"| | {' | '.join(heads)} |", f"|---|{'---|' * len(names)}"]
    lines += [f"| {label} | {' | '.join(_cell(figures.get(n)) for n in names)} |" for label, figures in found]
    return "\n".join(lines)


def card_text(card: Mapping[str, Any]) -> str:
    """Lay a model's card out as Markdown."""
    lines = ["| | |", "|---|---|"]
    lines += [f"| {n.replace('_', ' ')} | {v} |" for n, v in card.items() if n != "figures"]
    figures = list(rows(card.get("figures", {}), ("measured",)))
    return "\n".join(lines) + (f"\n\n{table(figures)}" if figures else "")


def filled(text: str, name: str, content: str) -> str:
    """Put content between ``<!-- name:begin -->`` and ``<!-- name:end -->``."""
    pattern = re.compile(rf"(<!-- {name}:begin -->\n).*?(<!-- {name}:end -->)", re.DOTALL)
    if not pattern.search(text):
        raise ValueError(f"no <!-- {name}:begin --> … <!-- {name}:end --> to fill")
    return pattern.sub(lambda found: f"{found[1]}{content}\n{found[2]}", text)


def documents() -> dict[Path, str]:
    """Every document that holds figures, as it should read."""
    texts: dict[Path, str] = {}
    if RESULTS.is_file():
        found = list(rows(json.loads(RESULTS.read_text(encoding="utf-8"))))
        for name in ("README.md", "README.ko.md"):
            texts[ROOT / name] = filled(_read(ROOT / name), "results", table(found, SHORT))
        path = ROOT / "docs" / "results.md"
        texts[path] = filled(_read(path), "results", table(found))
    card = ROOT / "src" / "handshift" / "models" / "words-1" / "card.json"
    if card.is_file():
        path = ROOT / "docs" / "model-card.md"
        texts[path] = filled(_read(path), "card", card_text(json.loads(card.read_text(encoding="utf-8"))))
    return texts


def draw_demo(path: Path) -> None:
    """Draw the two-hand demo page as handshift marks it, in 32 colours."""
    from PIL import Image

    import handshift
    from handshift.demo import TWO_HANDS
    from handshift.page.draw import draw_words

    verdict = handshift.examine(TWO_HANDS)
    boxes = [word.box for word in verdict.page.words]
    hands = [finding.hand for finding in verdict.words]
    strength = [0.0 if finding.hand == "A" else finding.posterior for finding in verdict.words]
    drawn = Image.fromarray(draw_words(verdict.page.image, boxes, hands, strength))
    path.parent.mkdir(exist_ok=True)
    drawn.quantize(32, dither=Image.Dither.NONE).save(path, optimize=True)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _cell(value: float | None) -> str:
    if value is None:
        return ""
    return str(value) if isinstance(value, int) else f"{value:.3f}"


if __name__ == "__main__":
    for document, text in documents().items():
        document.write_text(text, encoding="utf-8")
        print(document.relative_to(ROOT))
    draw_demo(ROOT / "docs" / "images" / "two-hands.png")
