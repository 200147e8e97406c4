"""Latin handwriting fonts are taken from packages as data, and only under an open licence."""

from __future__ import annotations

import csv
import importlib
import io
import json
import tarfile
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]

OFL = {"type": "OFL-1.1", "attribution": "Copyright 2014 The Caveat Project Authors"}


def package(place: Path, name: str, files: dict[str, bytes]) -> None:
    """What `npm pack` leaves."""
    with tarfile.open(place / f"{name}.tgz", "w:gz") as packed:
        for path, content in files.items():
            member = tarfile.TarInfo(f"package/{path}")
            member.size = len(content)
            packed.addfile(member, io.BytesIO(content))


@pytest.fixture
def latin_fonts(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "studies"))
    return importlib.import_module("latin_fonts")


@pytest.fixture
def registry(latin_fonts: ModuleType, monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, bytes]]:
    """Packages by name, in the place of the npm registry."""
    packages: dict[str, dict[str, bytes]] = {}

    def run(command: list[str], cwd: str, **_: object) -> None:
        assert "--ignore-scripts" in command
        package(Path(cwd), "packed", packages[command[-1]])

    monkeypatch.setattr("latin_fonts.subprocess.run", run)
    return packages


def hand(category: str = "handwriting", licence: dict[str, str] = OFL) -> dict[str, bytes]:
    return {
        "metadata.json": json.dumps({"category": category, "license": licence}).encode(),
        "files/caveat-latin-ext-400-normal.woff2": b"other letters",
        "files/caveat-latin-700-normal.woff2": b"bold",
        "files/caveat-latin-400-italic.woff2": b"italic",
        "files/caveat-latin-400-normal.woff2": b"regular",
    }


def test_the_regular_latin_font_of_a_family_is_kept(
    latin_fonts: ModuleType, registry: dict[str, dict[str, bytes]], tmp_path: Path
) -> None:
    registry["@fontsource/caveat"] = hand()
    row = latin_fonts.fetch_font("caveat", tmp_path)
    assert (tmp_path / row["path"]).read_bytes() == b"regular"
    assert row["writer"] == "caveat"
    assert row["licence_in_font"] == "OFL-1.1"
    registry.clear()
    assert latin_fonts.fetch_font("caveat", tmp_path) == row  # nothing is fetched twice


@pytest.mark.parametrize(
    "other", [hand(category="serif"), hand(licence={"type": "proprietary", "attribution": "a foundry"})]
)
def test_what_is_no_hand_or_not_open_ends_the_run(
    latin_fonts: ModuleType, other: dict[str, bytes], registry: dict[str, dict[str, bytes]], tmp_path: Path
) -> None:
    registry["@fontsource/caveat"] = other
    with pytest.raises(SystemExit, match="caveat is no openly licensed handwriting"):
        latin_fonts.fetch_font("caveat", tmp_path)
    assert not list(tmp_path.rglob("*.woff2"))


def test_a_large_file_of_a_package_is_left_out(
    latin_fonts: ModuleType, registry: dict[str, dict[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(latin_fonts, "MOST_BYTES", 10)
    registry["big"] = {"small.txt": b"few", "large.txt": b"more than ten bytes"}
    assert latin_fonts.npm_package("big") == {"small.txt": b"few"}


def test_words_are_of_three_languages_and_some_begin_with_a_capital(
    latin_fonts: ModuleType,
    registry: dict[str, dict[str, bytes]],
) -> None:
    registry[latin_fonts.WORDS] = {
        "build/resources/english.txt": b"the\na\nyou\n",
        "build/resources/french.txt": "été\nle\nl'eau\n".encode(),
        "build/resources/german.txt": "und\ndas\nüber\n".encode(),
    }
    assert latin_fonts.frequent_words() == ["The", "été", "und", "le", "Das", "you", "über"]


def test_the_list_names_every_family_once(
    latin_fonts: ModuleType,
) -> None:
    families = latin_fonts.FAMILIES.read_text(encoding="utf-8").split()
    assert len(families) == len(set(families)) > 150
    assert families == sorted(families)


def test_the_manifest_is_what_the_reader_of_databases_expects(
    latin_fonts: ModuleType, tmp_path: Path
) -> None:
    path = tmp_path / "manifest.csv"
    latin_fonts.write_manifest(
        path, [{"path": "fontsource/caveat.woff2", "writer": "caveat", "attribution": "A, B"}]
    )
    with path.open(encoding="utf-8", newline="") as file:
        assert list(csv.DictReader(file)) == [
            {"path": "fontsource/caveat.woff2", "writer": "caveat", "attribution": "A, B"}
        ]
