"""Fill the documents with what was measured: ``python docs/figures.py``.

Tables and the figures of the shipped model's card come from results/, the picture and the printed verdict
from the demo page. Run it after either changes; a test compares the tables.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from measured import (
    bags,
    detectors,
    embeddings,
    evidence,
    healthmaps,
    inversion,
    joined_pages,
    map_studies,
    margins,
    spine,
    studies,
)
from measured.demo import demo_output, draw_demo

ROOT = Path(__file__).resolve().parent.parent
CARD = ROOT / "src" / "handshift" / "models" / "words-3" / "card.json"


def documents() -> dict[Path, str]:
    """Every document that holds figures, as it should read."""
    card = _card()
    texts = {CARD: json.dumps(card, indent=2, ensure_ascii=False) + "\n"}
    for name, tables in _tables(card).items():
        text = _read(ROOT / name)
        for mark, content in tables.items():
            text = filled(text, mark, content)
        texts[ROOT / name] = text
    return texts


def filled(text: str, name: str, content: str) -> str:
    """Put content between ``<!-- name:begin -->`` and ``<!-- name:end -->``."""
    pattern = re.compile(rf"(<!-- {name}:begin -->\n).*?(<!-- {name}:end -->)", re.DOTALL)
    if not pattern.search(text):
        raise ValueError(f"no <!-- {name}:begin --> … <!-- {name}:end --> to fill")
    return pattern.sub(lambda found: f"{found[1]}{content}\n{found[2]}", text)


def _card() -> dict[str, Any]:
    figures = embeddings.card_figures(*map(_result, ("spine", "verification", "identification")))
    return {**json.loads(_read(CARD)), "figures": figures}


def _tables(card: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Document → mark → content."""
    found, simulated, costs = map(_result, ("spine", "simulated-maps", "margins"))
    compared = map(_result, ("verification", "identification", "throughput"))
    return {
        "README.md": {"results": spine.results_text(found)},
        "README.ko.md": {"results": spine.results_text(found, "ko")},
        "docs/results.md": {
            "results": spine.results_text(found, full=True),
            "embeddings": embeddings.embeddings_text(*compared),
            "joined": joined_pages.joined_text(_result("joined-pages")),
        },
        "docs/bags.md": {"cost": bags.bags_text(_result("bags"))},
        "docs/cleaning.md": {"cleaning": studies.cleaning_text("embed-cleaning")},
        "docs/detectors.md": detectors.detector_tables(),
        "docs/evidence.md": {"validation": evidence.validation_text(_result("validation/validation"))},
        "docs/hands.md": {"hands": evidence.hands_text(_result("hands"))},
        "docs/healthmaps.md": {
            "gearbox": healthmaps.gearbox_text(_result("gearbox")),
            "statistics": healthmaps.statistics_text(simulated),
            "physics": healthmaps.physics_text(simulated),
        },
        "docs/healthmaps-results.md": map_studies.map_tables(),
        "docs/inversion.md": {"inversion": inversion.inversion_text(_result("inversion"))},
        "docs/margins.md": {
            "study": studies.ranked_text("embed-margins", "auroc"),
            "speed": margins.speed_text(costs),
            "memory": margins.memory_text(costs),
        },
        "docs/model-card.md": {"card": embeddings.card_text(card)},
    }


def _result(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_read(ROOT / "results" / f"{name}.json"))
    return found


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


if __name__ == "__main__":
    for document, text in documents().items():
        document.write_text(text, encoding="utf-8")
        print(document.relative_to(ROOT))
    draw_demo(ROOT / "docs" / "images" / "two-hands.png")
    shown = demo_output()
    for readme in (ROOT / "README.md", ROOT / "README.ko.md"):
        readme.write_text(filled(_read(readme), "verdict", shown), encoding="utf-8")
