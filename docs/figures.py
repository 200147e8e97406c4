"""Fill the documents with what was measured: ``python docs/figures.py``.

Tables come from results/spine.json and the shipped model's card, the picture from the demo page. Run it after
either changes; a test compares.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results" / "spine.json"
COMPARISONS = {
    "mixed_against_single": "mixed against one hand",
    "mixed_against_spliced": "mixed against spliced",
    "control_spliced_against_single": "spliced against one hand (0.5 wanted)",
}
EXTRA = {"tpr_at_fpr_5%": "TPR at FPR ≤ 5 %"}
Tree = Mapping[str, Any]


def results_text(results: Tree, full: bool) -> str:
    """Say how well words and documents are told apart; in full with intervals and detection rates."""
    words = results["word_verification"]
    text = f"Two words by one hand or two: AUC {_auc(words, full)}, EER {words['eer']:.3f} "
    text += f"({words['pairs']:,} pairs of {results['writers']} writers; chance 0.5 and 0.5).\n\n"
    lines = []
    for size, shares in results["documents"].items():
        if not lines:
            lines = [
                f"| AUC, by share of foreign words | {' | '.join(shares)} |",
                f"|---|{'---|' * len(shares)}",
            ]
        for name, title in COMPARISONS.items():
            lines.append(_row(f"{size}: {title}", [_auc(share[name], full) for share in shares.values()]))
        if full:
            for key, title in EXTRA.items():
                for name in list(COMPARISONS)[:2]:
                    cells = [f"{share[name][key]:.3f}" for share in shares.values()]
                    lines.append(_row(f"{size}: {COMPARISONS[name]}, {title}", cells))
            cells = [f"{share['word_auc']:.3f}" for share in shares.values()]
            lines.append(_row(f"{size}: which words, within a mixed one", cells))
    return text + "\n".join(lines)


def card_text(card: Tree) -> str:
    """Lay a model's card out as Markdown."""
    lines = ["| | |", "|---|---|"]
    return "\n".join(lines + [_row(n.replace("_", " "), [v]) for n, v in card.items() if n != "figures"])


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
        results = json.loads(_read(RESULTS))
        for name in ("README.md", "README.ko.md", "docs/results.md"):
            content = results_text(results, full=name.startswith("docs/"))
            texts[ROOT / name] = filled(_read(ROOT / name), "results", content)
    card = ROOT / "src" / "handshift" / "models" / "words-1" / "card.json"
    if card.is_file():
        path = ROOT / "docs" / "model-card.md"
        texts[path] = filled(_read(path), "card", card_text(json.loads(_read(card))))
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


def _auc(figures: Tree, full: bool) -> str:
    interval = " ({:.2f}–{:.2f})".format(*figures["auc_interval"]) if full else ""
    return f"{figures['auc']:.3f}{interval}"


def _row(label: str, cells: Iterable[str]) -> str:
    return f"| {label} | {' | '.join(cells)} |"


if __name__ == "__main__":
    for document, text in documents().items():
        document.write_text(text, encoding="utf-8")
        print(document.relative_to(ROOT))
    draw_demo(ROOT / "docs" / "images" / "two-hands.png")
