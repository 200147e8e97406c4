"""The rooms of the package stand in the order of docs/architecture.md, and its names are the field's."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from types import ModuleType

import pytest

import handshift

ROOT = Path(__file__).parent.parent


def _room_graph() -> ModuleType:
    spec = importlib.util.spec_from_file_location("room_graph", ROOT / "docs" / "room_graph.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["room_graph"] = module  # dataclasses look their module up by name
    spec.loader.exec_module(module)
    return module


graph = _room_graph()
MODULES: Mapping[str, Path] = graph.modules()
PACKAGES = {name for name, path in MODULES.items() if path.name == "__init__.py"}
IMPORTS = list(graph.imports(MODULES))
LAYER = {room: number for number, layer in enumerate(graph.LAYERS) for room in layer}


def test_every_folder_of_the_package_is_a_room_of_the_plan() -> None:
    folders = {path.parent.name for path in graph.PACKAGE.glob("*/__init__.py")}
    assert folders <= set(LAYER)
    assert set(LAYER) == set(graph.HOLDS)


def test_no_room_imports_from_its_own_layer_or_a_later_one() -> None:
    reaching = [
        f"{one.place}: {graph.room(one.importer)} imports {one.imported}"
        for one in IMPORTS
        if (importer := graph.room(one.importer)) != (imported := graph.room(one.imported))
        if importer and imported and LAYER[imported] >= LAYER[importer]
    ]
    assert reaching == []


def test_only_the_command_line_imports_the_public_functions_of_the_package() -> None:
    """Else a room would reach the whole pipeline through `handshift` itself."""
    through_the_top = [
        f"{one.place}: {one.member}"
        for one in IMPORTS
        if one.imported == "handshift" and graph.room(one.importer) not in ("", "cli")
    ]
    assert through_the_top == []


def test_an_import_inside_a_function_and_one_spelled_as_a_string_are_seen() -> None:
    seen = {(one.importer, one.imported) for one in IMPORTS}
    assert ("handshift", "handshift.pipeline.examiner") in seen  # inside examine()
    assert ("handshift.cli.lazy", "handshift.cli.demo") in seen  # "handshift.cli.demo:demo"


def test_no_files_import_each_other_in_a_circle() -> None:
    needs: dict[str, set[str]] = {module: set() for module in MODULES}
    for one in IMPORTS:
        if not one.by_name and one.imported != one.importer:
            needs[one.importer].add(one.imported)
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def test_the_page_on_architecture_shows_the_rooms_as_they_are() -> None:
    used, stale = graph.uses(MODULES), "run python docs/room_graph.py"
    page = graph.PAGE.read_text(encoding="utf-8")
    assert page == graph.page_with(used, page), stale
    assert graph.PICTURE.read_text(encoding="utf-8") == graph.picture(used), stale


def test_no_package_or_module_has_the_name_of_a_public_function() -> None:
    assert {name for name in handshift.__all__ if f"handshift.{name}" in MODULES} == set()


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_nothing_that_a_package_exports_has_the_name_of_a_package_inside_it(package: str) -> None:
    """``import package.name as x`` must give the package, not a function that happens to share its name."""
    tree = ast.parse(MODULES[package].read_text(encoding="utf-8"))
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    imported = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if f"{node.module}.{alias.name}" not in MODULES
    }
    assert {name for name in defined | imported if f"{package}.{name}" in PACKAGES} == set()


NAMED_FOR_WHAT_THEY_HOLD = """
    cli.examine_options cli.broken_pipe attribution.matching_words calibration.calibration_data
    calibration.page_calibration calibration.pair_calibration calibration.two_slope
    calibration.labelled_scores report.reference_plot attribution.forward_backward attribution.variational
    attribution.page_linking
    embedding.export.float16 embedding.export.smaller embedding.crops.downscale embedding.train.writer_task
    embedding.train.load detect.partition.priors detect.partition.agglomerate detect.partition.hill_climb
    training.nan_dump training.evaluate models.shipped_models page.deskew page.external_segmentation
    page.line_linking detect.plda
"""


@pytest.mark.parametrize("module", NAMED_FOR_WHAT_THEY_HOLD.split())
def test_a_module_is_found_under_the_name_of_its_algorithm(module: str) -> None:
    assert f"handshift.{module}" in MODULES


@pytest.mark.parametrize(
    ("term", "module"),
    [
        ("PLDA", "detect.plda"),
        ("hidden Markov model", "attribution.forward_backward"),
        ("HMM", "attribution.hmm_settings"),
        ("forward–backward", "attribution.forward_backward"),
        ("variational Bayes", "attribution.variational"),
        ("VBx", "attribution.variational"),
        ("agglomerative", "attribution.agglomerative"),
        ("agglomerative", "detect.partition.agglomerate"),
        ("hill climbing", "detect.partition.hill_climb"),
        ("ArcFace", "embedding.train.margins.arcface"),
        ("CosFace", "embedding.train.margins.cosface"),
        ("SphereFace", "embedding.train.margins.sphereface"),
        ("deskew", "page.deskew"),
        ("PatchCore", "healthmap.baselines.patchcore"),
        ("PaDiM", "healthmap.baselines.padim"),
        ("AB-MIL", "detect.mil.ab_mil"),
        ("CLAM", "detect.mil.clam"),
        ("ELUB", "calibration.elub"),
        ("Cllr", "metrics.cllr"),
        ("AUPRO", "metrics.aupro"),
    ],
)
def test_a_search_for_a_term_leads_to_its_module(term: str, module: str) -> None:
    text = MODULES[f"handshift.{module}"].read_text(encoding="utf-8")
    first = (ast.get_docstring(ast.parse(text)) or "").split("\n\n")[0]
    assert term.lower() in first.lower()


def test_no_module_has_a_name_that_says_nothing() -> None:
    vague = {"run", "report", "error", "utils", "helpers", "common", "misc", "manner", "outlet", "shelf"}
    in_rooms = MODULES.keys() - PACKAGES
    # The command line's files are named for their commands, and `handshift report` is one.
    assert {name for name in in_rooms if name.split(".")[-1] in vague and ".cli." not in name} == set()
