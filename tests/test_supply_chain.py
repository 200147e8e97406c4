"""What is shipped can be built again bit by bit, and what it brings along is pinned, listed and licensed."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CORE = (ROOT / "constraints-core.txt").read_text(encoding="utf-8")

spec = importlib.util.spec_from_file_location("supply_chain", ROOT / ".ci" / "supply_chain.py")
assert spec is not None and spec.loader is not None
supply_chain = importlib.util.module_from_spec(spec)
spec.loader.exec_module(supply_chain)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository's own files, without what lies beside them."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone")
    folder = tmp_path_factory.mktemp("tree")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in listed.decode().split("\0"):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((ROOT / name).read_bytes())
    return folder


def build(tree: Path, kind: str, out: Path, epoch: str) -> Path:
    environment = {**os.environ, "SOURCE_DATE_EPOCH": epoch}
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(out)]
    subprocess.run(command, cwd=tree, env=environment, capture_output=True, check=True)
    (made,) = out.iterdir()
    return made


def test_two_builds_give_the_same_wheel(tree: Path, tmp_path: Path):
    first = build(tree, "wheel", tmp_path / "one", "1700000000")
    for path in tree.rglob("*.py"):
        os.utime(path, (1, 1))  # as in another clone
    second = build(tree, "wheel", tmp_path / "two", "1700000000")
    digests = {hashlib.sha256(path.read_bytes()).hexdigest() for path in (first, second)}
    assert len(digests) == 1
    with zipfile.ZipFile(first) as wheel:
        names = wheel.namelist()
    assert "handshift/models/words-3/words.onnx" in names
    assert all(name.startswith(("handshift/", "handshift-")) for name in names)


def test_the_source_archive_has_no_results(tree: Path, tmp_path: Path):
    with tarfile.open(build(tree, "sdist", tmp_path / "one", "1700000000")) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    assert "src/handshift/__init__.py" in names and "LICENSE" in names
    assert not [name for name in names if name.startswith(("results/", "docs/measured/"))]


def test_the_core_is_pinned_by_hash_to_what_was_tested():
    tested = dict(
        line.lower().replace("_", "-").split("==")
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    )
    pins = re.findall(
        r"^([a-z0-9-]+)==([^ ;]+)(?: ;[^\\]*)? \\\n((?:    --hash=sha256:\S+.*\n)+)", CORE, re.MULTILINE
    )
    assert len(pins) == len(re.findall("^[a-z]", CORE, re.MULTILINE))
    for name, version, hashes in pins:
        assert tested[name] == version, name
        assert len(re.findall("sha256:[0-9a-f]{64}", hashes)) >= 1, name
    assert {"numpy", "scipy", "onnxruntime", "pillow", "pypdfium2", "filelock"} <= {name for name, *_ in pins}
    assert "://" not in CORE, "a registry is named"


def bill(*licences: dict[str, object]) -> dict[str, object]:
    return {"components": [{"name": "some-package", "version": "1", "licenses": list(licences)}]}


@pytest.mark.parametrize(
    ("licence", "fits"),
    [
        ({"license": {"id": "MIT"}}, True),
        ({"expression": "Apache-2.0 OR BSD-2-Clause"}, True),
        ({"license": {"name": "License :: OSI Approved :: BSD License"}}, True),
        ({"license": {"id": "AGPL-3.0-only"}}, False),
        ({"expression": "MIT AND GPL-2.0-only"}, False),
    ],
)
def test_a_licence_fits_or_is_named(licence: dict[str, object], fits: bool):
    refused = list(supply_chain.unfit_licences(bill(licence)))
    assert bool(refused) is not fits


def test_a_package_without_a_licence_is_refused():
    assert list(supply_chain.unfit_licences(bill())) == ["some-package 1: states none"]


def test_the_bill_of_materials_lists_what_is_installed(tmp_path: Path):
    pytest.importorskip("cyclonedx_py")
    venv.create(tmp_path / "venv")
    python = next(path for path in (tmp_path / "venv").rglob("python*") if path.stem == "python")
    (packages,) = (tmp_path / "venv").rglob("site-packages")
    (packages / "some_package-1.2.dist-info").mkdir()
    metadata = "Metadata-Version: 2.4\nName: some-package\nVersion: 1.2\nLicense-Expression: MIT\n"
    (packages / "some_package-1.2.dist-info" / "METADATA").write_text(metadata)
    found = supply_chain.sbom(python)
    assert found["bomFormat"] == "CycloneDX"
    assert [(one["name"], one["version"]) for one in found["components"]] == [("some-package", "1.2")]
    assert supply_chain.licences_used(found) == {"MIT"} and not list(supply_chain.unfit_licences(found))


def test_an_audit_without_a_service_is_skipped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    failed = subprocess.CompletedProcess([], 1, "", "requests.exceptions.ConnectionError: no route")
    monkeypatch.setattr(supply_chain.subprocess, "run", lambda *_, **__: failed)
    assert supply_chain.audit(bill()) is False
    assert "skipped" in capsys.readouterr().out
    found = subprocess.CompletedProcess([], 1, "Found 1 known Vulnerability", "")
    monkeypatch.setattr(supply_chain.subprocess, "run", lambda *_, **__: found)
    assert supply_chain.audit(bill()) is True
