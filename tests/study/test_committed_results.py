"""Every committed result is traceable to a commit in the history, and documents print no other."""

from __future__ import annotations

import importlib
import json
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from handshift.study.collected import load_provenance
from handshift.study.provenance import Origin

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results"
STUDIES = sorted(path.parent for path in RESULTS.glob("*/provenance.json"))
BENCHMARKS = sorted(RESULTS.glob("*.json"))


def origins_of(path: Path) -> list[Origin]:
    if path.is_dir():
        provenance = load_provenance(path)
        assert provenance is not None
        assert provenance.runs, f"{path.name} has no runs"
        return list(provenance.origins)
    return [Origin.model_validate(json.loads(path.read_text("utf-8"))["provenance"]["origin"])]


def git(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("path", [*STUDIES, *BENCHMARKS], ids=lambda path: path.name)
def test_a_result_names_unchanged_code(path: Path) -> None:
    assert all(origin.traceable for origin in origins_of(path))


@pytest.mark.parametrize("path", [*STUDIES, *BENCHMARKS], ids=lambda path: path.name)
def test_the_commit_of_a_result_is_in_the_history(path: Path) -> None:
    if git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        pytest.skip("no full history here")
    for origin in origins_of(path):
        assert origin.commit is not None
        found = git("merge-base", "--is-ancestor", origin.commit, "HEAD")
        assert found.returncode == 0, f"{path.name}: {origin.commit} is not in the history"


def test_results_hold_tables_and_benchmarks_only() -> None:
    known = {"table.csv", "provenance.json", "items.parquet", "intervals.csv"}
    listed = git("ls-files", "results").stdout.split("\n")
    if not any(listed):
        pytest.skip("not a repository")
    files = [Path(name) for name in listed if name]
    assert len(files) < 150
    for path in files:
        benchmark = len(path.parts) == 2 and path.suffix == ".json"
        assert benchmark or (len(path.parts) == 3 and path.name in known), path


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The documents' reader of results, reading another folder."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    module = importlib.import_module("measured.sources")
    monkeypatch.setattr(module, "RESULTS", tmp_path)
    return module


def test_documents_refuse_to_print_drafts(sources: ModuleType, tmp_path: Path) -> None:
    measured = {"commit": "a" * 40}
    for name, origin in {
        "measured": measured,
        "draft": {**measured, "draft": True},
        "changed": {**measured, "changed": ["src/handshift/__init__.py"]},
        "nowhere": {"commit": None},
    }.items():
        (tmp_path / f"{name}.json").write_text(json.dumps({"auc": 0.5, "provenance": {"origin": origin}}))
        study = {
            "study": {"name": name, "variants": ["one"], "seeds": [1], "metrics": ["auc"], "baseline": "one"},
            "origins": [origin],
            "configs": {"one": {}},
            "runs": [
                {
                    "variant": "one",
                    "seed": 1,
                    "origins": [0],
                    "data_fingerprint": "",
                    "started": "",
                    "finished": "",
                }
            ],
        }
        (tmp_path / name).mkdir()
        (tmp_path / name / "provenance.json").write_text(json.dumps(study))
    assert sources.benchmark_text("measured", lambda found: str(found["auc"])) == "0.5"
    assert sources.study_text("measured", lambda found: found.record.name) == "measured"
    for name in ("draft", "changed", "nowhere"):
        with pytest.raises(sources.UntraceableError, match=f"results/{name}"):
            sources.benchmark_text(name, str)
        with pytest.raises(sources.UntraceableError, match=f"results/{name}"):
            sources.study_text(name, str)


def test_documents_say_what_is_being_measured_again(sources: ModuleType) -> None:
    assert sources.benchmark_text("joined-pages bags", str) == (
        "*Being measured again:* `python benchmarks/joined_pages.py`, `python benchmarks/bags.py`."
    )
    assert "handshift study run studies/maps-losses.yaml" in sources.study_text("maps-losses", str)


def test_a_result_without_provenance_is_refused(sources: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text("{}")
    with pytest.raises(sources.UntraceableError, match="names no commit"):
        sources.benchmark_text("old", str)
