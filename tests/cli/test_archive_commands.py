"""`index`, `find`, `clusters` and annotations, as commands."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from drawn_corpus import draw_corpus
from typer.testing import CliRunner

from handshift.cli import app
from handshift.cli.exits import Exit

sys.path.insert(0, str(Path(__file__).parent.parent / "page"))
from iiif_server import manifest_3, write

run = CliRunner().invoke


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return draw_corpus(tmp_path_factory.mktemp("corpus"), pages=3, scribes=2)


def test_an_archive_is_indexed_searched_and_grouped(corpus: Path, tmp_path: Path):
    store = str(tmp_path / "store")
    done = run(app, ["index", str(corpus), "--store", store, "--workers", "1"])
    assert done.exit_code == Exit.SOME_FAILED, done.output
    assert "4 pages indexed" in done.output and "torn.png" in done.output
    assert "5 files unchanged" in run(app, ["index", str(corpus), "--store", store, "--workers", "1"]).output

    found = tmp_path / "found.json"
    page = str(corpus / "a000.png")
    done = run(
        app, ["find", page, "--store", store, "--json", str(found), "--html", str(tmp_path / "f.html")]
    )
    assert done.exit_code == 0, done.output
    pages = json.loads(found.read_text())["pages"]
    assert Path(pages[0]["path"]).name == "a002.png"  # by the same scribe
    assert all(page != entry["path"] for entry in pages)
    assert (tmp_path / "f.html").read_text().count("<img") == len(pages)

    done = run(app, ["clusters", "--store", store, "--json", str(tmp_path / "c.json")])
    assert done.exit_code == 0, done.output
    done = run(app, ["index", "--store", store, "--remove", str(corpus / "a002.png"), "--compact"])
    assert done.exit_code == 0 and "1 page removed" in done.output
    assert run(app, ["find", page, "--store", store, "--hand", "Q"]).exit_code != 0
    assert run(app, ["index", "--store", store]).exit_code != 0


def test_each_canvas_gets_a_page_of_annotations_in_its_own_coordinates(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HANDSHIFT_OFFLINE", "1")
    monkeypatch.setenv("HANDSHIFT_CACHE", str(tmp_path / "cache"))
    names = ["a000.png", "a001.png"]
    for name in names:
        (tmp_path / "saved").mkdir(exist_ok=True)
        (tmp_path / "saved" / name).write_bytes((corpus / name).read_bytes())
    size = (8270, 6500)  # ten times the scan
    manifest = write(tmp_path / "saved" / "manifest.json", manifest_3("https://archive.example", names, size))
    out = tmp_path / "annotations"
    options = ["--no-report", "--annotations", str(out), "--annotation-base", "https://my.example/hands"]
    options += ["--json", str(tmp_path / "found.json")]
    done = run(app, ["examine", str(manifest), *options])
    assert done.exit_code in (Exit.ALL_EXAMINED, Exit.OUT_OF_SCOPE), done.output
    assert "https://archive.example/canvas/1 p.1:" in done.output
    listed = json.loads((out / "manifest.json").read_text())
    assert listed["label"] == {"none": ["Letters"]}
    pages = json.loads((tmp_path / "found.json").read_text())["pages"]
    assert [page["origin"] for page in pages] == [canvas["id"] for canvas in listed["items"]]
    assert [canvas["id"] for canvas in listed["items"]] == [
        f"https://archive.example/canvas/{number}" for number in (1, 2)
    ]
    for canvas in listed["items"]:
        (reference,) = canvas["annotations"]
        page = json.loads((out / reference["id"].rpartition("/")[2]).read_text())
        assert page["type"] == "AnnotationPage" and page["id"] == reference["id"]
        assert len(page["items"]) >= 10
        boxes = [tuple(map(int, item["target"].partition("#xywh=")[2].split(","))) for item in page["items"]]
        assert all(item["target"].startswith(canvas["id"] + "#") for item in page["items"])
        assert max(x + width for x, _, width, _ in boxes) > size[0] / 2
        assert all(x + width <= size[0] and y + height <= size[1] for x, y, width, height in boxes)
