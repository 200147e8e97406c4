"""Fill the documents with what was measured: ``python docs/figures.py``.

Tables and the figures of the shipped model's card come from results/, the picture and the printed verdict
from the demo page. Run it after either changes; a test compares the tables. Results that are drafts or name
no commit are refused; where a result is missing the document says that it is being measured again.
"""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

from measured import (
    archives,
    bags,
    databases,
    detectors,
    embeddings,
    evidence,
    healthmaps,
    inversion,
    joined_pages,
    map_benchmarks,
    map_studies,
    margins,
    page,
    sizing,
    source_figures,
    spine,
    studies,
    study_tasks,
    trust,
    wild,
    workbench,
)
from measured import (
    documents as document_figures,
)
from measured.demo import demo_output, draw_demo
from measured.sources import benchmark_text, load_benchmark, study_text

from handshift.models.shipped_models import DEFAULT, MODELS_FOLDER

ROOT = Path(__file__).resolve().parent.parent
CARD = MODELS_FOLDER / DEFAULT / "card.json"


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
    """The shipped model's card with its measured figures; without any where they are measured again."""
    sources = [load_benchmark(name) for name in ("spine", "verification", "identification")]
    measured = [source for source in sources if source is not None]
    figures = embeddings.card_figures(*measured) if len(measured) == len(sources) else {}
    return {**json.loads(_read(CARD)), "figures": figures}


def _tables(card: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Document → mark → content."""
    return {
        "README.md": {"results": benchmark_text("spine", spine.results_text)},
        "README.ko.md": {"results": benchmark_text("spine", partial(spine.results_text, language="ko"))},
        "SECURITY.md": {
            "trust": benchmark_text("trust", trust.trust_text),
            "mutation": benchmark_text("mutation-testing", trust.mutation_text),
        },
        "docs/results.md": {
            "results": benchmark_text("spine", partial(spine.results_text, full=True)),
            "verification": benchmark_text("verification", embeddings.verification_text),
            "identification": benchmark_text("identification", embeddings.identification_text),
            "verification-iam": benchmark_text("verification-iam", embeddings.verification_text),
            "identification-iam": benchmark_text("identification-iam", embeddings.identification_text),
            "results-words-3": benchmark_text("spine-words-3", partial(spine.results_text, full=True)),
            "verification-words-3": benchmark_text("verification-words-3", embeddings.verification_text),
            "identification-words-3": benchmark_text(
                "identification-words-3", embeddings.identification_text
            ),
            "throughput": benchmark_text("throughput", embeddings.throughput_text),
            "joined": benchmark_text("joined-pages", joined_pages.joined_text),
            "segmentation": benchmark_text("segmentation", page.segmentation_text),
            "page": benchmark_text("page", page.page_text),
            "loop": benchmark_text("loop", page.loop_text),
        },
        "docs/bags.md": {"cost": benchmark_text("bags", bags.bags_text)},
        "docs/cleaning.md": {"cleaning": study_text("embed-cleaning", studies.cleaning_text)},
        "docs/databases.md": {
            "databases": benchmark_text("databases", databases.databases_text),
            "mixed": benchmark_text("mixed-databases", databases.mixed_text),
            "pens": benchmark_text("pens", databases.pens_text),
            "scale": benchmark_text("scale", databases.scale_text),
            "families": study_text("embed-families", databases.families_text),
            "scale-verdicts": benchmark_text("scale-verdicts", databases.verdicts_text),
        },
        "docs/detectors.md": detectors.detector_summaries(),
        "docs/measured/detectors-tables.md": detectors.detector_tables(),
        "docs/evidence.md": {
            "validation": benchmark_text("validation", evidence.validation_text),
            "matrix": benchmark_text("validation", evidence.matrix_text),
            "small-pages": benchmark_text("small-pages", evidence.small_pages_text),
            "equal-words": benchmark_text("equal-words", document_figures.equal_words_text),
        },
        "docs/hands.md": {
            "hands": benchmark_text("hands", evidence.hands_text),
            "documents": benchmark_text("documents", document_figures.documents_text),
            "documents-sizes": benchmark_text("documents-sizes", document_figures.sizes_text),
            "document-cost": benchmark_text("document-cost", document_figures.cost_text),
            "lists": benchmark_text("lists", document_figures.lists_text),
            "long-list": benchmark_text("lists", document_figures.long_list_text),
        },
        "docs/healthmaps.md": {
            "gearbox": benchmark_text("gearbox", healthmaps.gearbox_text),
            "gearbox-attempts": benchmark_text("gearbox-attempts", healthmaps.attempts_text),
            "statistics": benchmark_text("simulated-maps", healthmaps.statistics_text),
            "physics": benchmark_text("simulated-maps", healthmaps.physics_text),
            "watch": benchmark_text("watch", map_benchmarks.watch_text),
        },
        "docs/healthmaps-results.md": map_studies.map_tables(),
        "docs/archives.md": {
            "engine": benchmark_text("engine", archives.engine_text),
            "restarts": benchmark_text("restarts", archives.restarts_text),
            "find": benchmark_text("find", archives.find_text),
            "collections": benchmark_text("small-collections", archives.collections_text),
            "nearest": benchmark_text("nearest-words", archives.nearest_text),
        },
        "docs/sizing.md": {
            "inputs": benchmark_text("engine find nearest-words", sizing.inputs_text),
            "sizing": benchmark_text("engine find nearest-words", sizing.sizing_text),
        },
        "docs/scope.md": {
            "wild": benchmark_text("wild", wild.wild_text),
            "marks": benchmark_text("marks", wild.marks_text),
            "wills": benchmark_text("wills", wild.wills_text),
        },
        "docs/inversion.md": {"inversion": benchmark_text("inversion", inversion.inversion_text)},
        "docs/margins.md": {
            "study": study_text("embed-margins", partial(studies.ranked_text, by="auroc")),
            "speed": benchmark_text("margins", margins.speed_text),
            "memory": benchmark_text("margins", margins.memory_text),
        },
        "docs/model-card.md": {"card": embeddings.card_text(card)},
        "docs/sources.md": source_figures.source_tables("en"),
        "docs/sources.ko.md": source_figures.source_tables("ko"),
        "docs/study-tasks.md": {"tasks": study_tasks.tasks_text()},
        "docs/studies.md": {
            "source-hdmap": studies.imported_text(ROOT / "studies" / "source-hdmap.csv", "tpr_at_1"),
            "toy": study_text("toy-scribes", studies.toy_text),
        },
        "docs/workbench.md": {"workbench": benchmark_text("workbench", workbench.workbench_text)},
    }


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


if __name__ == "__main__":
    for document, text in documents().items():
        document.write_text(text, encoding="utf-8")
        print(document.relative_to(ROOT))
    draw_demo(ROOT / "docs" / "images" / "two-hands.png")
    source_figures.draw_attention(ROOT / "docs" / "images")
    shown = demo_output()
    for readme in (ROOT / "README.md", ROOT / "README.ko.md"):
        readme.write_text(filled(_read(readme), "verdict", shown), encoding="utf-8")
