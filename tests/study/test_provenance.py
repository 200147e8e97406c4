"""A result names the code that made it, and code that has no name is refused."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from handshift.core.errors import StudyError
from handshift.study import provenance
from handshift.study.collected import collect, load_provenance
from handshift.study.provenance import DirtyTreeError, origin, package_hash
from handshift.study.results import load_results
from handshift.study.run_choice import RunChoice
from handshift.study.runner import StudyFolders, planned_runs, run_study
from handshift.study.spec import StudySpec

STUDY: dict[str, Any] = {
    "name": "tiny",
    "task": "tiny_study:CURSED",
    "variants": {"one": {}},
    "seeds": [1, 3],
    "metrics": ["error"],
    "baseline": "one",
}


def git(root: Path, *words: str) -> str:
    identity = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
    done = subprocess.run(["git", *identity, *words], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository laid out as this one, with one commit."""
    root = tmp_path / "repository"
    for name in ("src/handshift/__init__.py", "studies/one.yaml", "docs/page.md", "results/one.json"):
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text("first\n")
    git(root.parent, "init", "--quiet", str(root))
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "first")
    return root


def test_unchanged_code_is_known_by_its_commit(repository: Path) -> None:
    found = origin(package=repository / "src/handshift")
    assert found.commit == git(repository, "rev-parse", "HEAD")
    assert found.traceable
    assert found.versions["numpy"]


@pytest.mark.parametrize(
    "name",
    [
        "src/handshift/__init__.py",
        "src/handshift/new.py",
        "studies/two.yaml",
        "benchmarks/x.py",
        "pyproject.toml",
    ],
)
def test_code_that_differs_from_its_commit_is_refused_by_name(repository: Path, name: str) -> None:
    (repository / name).parent.mkdir(exist_ok=True)
    (repository / name).write_text("second\n")
    with pytest.raises(DirtyTreeError, match=rf"1 files differ from commit .*\({name}\)") as refused:
        origin(package=repository / "src/handshift")
    assert "--draft" in str(refused.value)
    assert "git worktree" in str(refused.value)


def test_documents_and_results_do_not_make_a_tree_dirty(repository: Path) -> None:
    for name in ("docs/page.md", "results/one.json", "results/two.json"):
        (repository / name).write_text("second\n")
    assert origin(package=repository / "src/handshift").traceable


def test_a_draft_says_so_and_what_was_changed(repository: Path) -> None:
    package = repository / "src/handshift"
    assert not origin(draft=True, package=package).traceable, "marked, though nothing differs"
    (package / "__init__.py").write_text("second\n")
    found = origin(draft=True, package=package)
    assert found.changed == ("src/handshift/__init__.py",)
    assert not found.traceable


def test_an_installed_package_is_known_by_its_hash_even_inside_another_repository(repository: Path) -> None:
    (repository / ".gitignore").write_text("venv/\n")
    package = repository / "venv" / "handshift"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("first\n")
    found = origin(package=package)
    assert found.commit is None
    assert found.package == package_hash(package)
    (package / "__init__.py").write_text("second\n")
    package_hash.cache_clear()
    assert origin(package=package).package != found.package


def test_a_study_is_refused_with_changed_code_and_a_draft_is_run_again_without(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provenance, "PACKAGE", repository / "src/handshift")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    spec, folders = StudySpec.model_validate(STUDY), StudyFolders(tmp_path / "results", tmp_path / "work")
    (repository / "src/handshift/new.py").write_text("second\n")
    with pytest.raises(DirtyTreeError):
        run_study(spec, folders, jobs=1)
    assert not folders.work.exists()

    run_study(spec, folders, jobs=1, draft=True)
    assert load_results(folders.results / "tiny").drafts() == ["one, seed 1", "one, seed 3"]
    assert all(run.done for run in planned_runs(spec, folders, draft=True))
    assert not any(run.done for run in planned_runs(spec, folders))


def test_a_run_that_does_not_name_its_code_is_not_collected(tmp_path: Path) -> None:
    spec, folders = StudySpec.model_validate(STUDY), StudyFolders(tmp_path / "results", tmp_path / "work")
    run_study(spec, folders, jobs=1, draft=True)
    about = next((folders.work / "tiny" / "draft").glob("*_seed1/run.json"))
    record = json.loads(about.read_text())
    del record["origins"]
    about.write_text(json.dumps(record))
    with pytest.raises(StudyError, match="does not say which code made it"):
        collect(folders.work / "tiny", folders.results / "tiny")


def test_what_is_collected_stays_when_the_work_folder_is_gone(tmp_path: Path) -> None:
    spec, folders = StudySpec.model_validate(STUDY), StudyFolders(tmp_path / "results", tmp_path / "work")
    run_study(spec, folders, jobs=1, draft=True)
    table = (folders.results / "tiny" / "table.csv").read_text()
    assert table.splitlines()[1:] == ["one,1,all,error,1.0", "one,3,all,error,3.0"]
    collect(tmp_path / "elsewhere", folders.results / "tiny")
    more = StudySpec.model_validate({**STUDY, "seeds": [1, 3, 4]})
    elsewhere = StudyFolders(folders.results, tmp_path / "elsewhere")
    missing = [run.seed for run in planned_runs(more, elsewhere, draft=True) if not run.done]
    assert missing == [4]
    run_study(more, elsewhere, jobs=1, draft=True)
    found = load_provenance(folders.results / "tiny")
    assert found is not None
    assert [run.seed for run in found.runs] == [1, 3, 4]


def test_seeds_and_variants_are_added_one_choice_after_the_other(tmp_path: Path) -> None:
    study = {**STUDY, "variants": {"one": {}, "two": {}}}
    spec, folders = StudySpec.model_validate(study), StudyFolders(tmp_path / "results", tmp_path / "work")
    run_study(spec, folders, jobs=1, draft=True, choice=RunChoice(("two",), (3,)))
    run_study(spec, folders, jobs=1, draft=True, choice=RunChoice(seeds=(1,)))
    found = load_provenance(folders.results / "tiny")
    assert found is not None
    assert {(run.variant, run.seed) for run in found.runs} == {("two", 3), ("one", 1), ("two", 1)}
    with pytest.raises(StudyError, match="--only three: is not a variant; these are one; two"):
        run_study(spec, folders, draft=True, choice=RunChoice(("three",)))
    with pytest.raises(StudyError, match="--seed 5: the study has 1, 3"):
        run_study(spec, folders, draft=True, choice=RunChoice(seeds=(5,)))


def test_a_field_that_a_task_was_given_since_does_not_part_old_runs_from_new_ones(tmp_path: Path) -> None:
    spec, folders = StudySpec.model_validate(STUDY), StudyFolders(tmp_path / "results", tmp_path / "work")
    run_study(spec, folders, jobs=1, draft=True, choice=RunChoice(seeds=(1,)))
    path = folders.results / "tiny" / "provenance.json"
    record = json.loads(path.read_text())
    del record["configs"]["one"]["pause"]
    path.write_text(json.dumps(record))
    about = next((folders.work / "tiny" / "draft").glob("*_seed1/run.json"))
    begun = json.loads(about.read_text())
    del begun["config"]["pause"]
    about.write_text(json.dumps(begun))
    run_study(spec, folders, jobs=1, draft=True)
    found = load_provenance(folders.results / "tiny")
    assert found is not None
    assert [run.seed for run in found.runs] == [1, 3]
    assert found.configs["one"]["pause"] == 0.0


def test_no_seed_is_added_to_runs_of_other_data(tmp_path: Path) -> None:
    spec, folders = StudySpec.model_validate(STUDY), StudyFolders(tmp_path / "results", tmp_path / "work")
    run_study(spec, folders, jobs=1, draft=True, choice=RunChoice(seeds=(1,)))
    path = folders.results / "tiny" / "provenance.json"
    path.write_text(path.read_text().replace('"data_fingerprint": "tiny"', '"data_fingerprint": "other"'))
    before = path.read_text()
    with pytest.raises(StudyError, match=r"'one' were made from other data \(fingerprint other, now tiny\)"):
        run_study(spec, StudyFolders(folders.results, tmp_path / "elsewhere"), jobs=1, draft=True)
    assert path.read_text() == before
