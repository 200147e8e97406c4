import pickle
from pathlib import Path

import pytest

from handshift.core.errors import PageError
from handshift.page.find_scans import find_scans


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    for name in (
        "box/p10.png",
        "box/p2.PNG",
        "box/deep/a.pdf",
        "box/.hidden.png",
        "box/.cache/x.png",
        "box/n.txt",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "empty").mkdir()
    return tmp_path


def test_a_folder_gives_its_scans_in_natural_order_without_hidden_ones(archive: Path) -> None:
    found = find_scans([archive / "box"])
    assert [scan.relative_to(archive).as_posix() for scan in found.scans] == [
        "box/deep/a.pdf", "box/p2.PNG", "box/p10.png",
    ]  # fmt: skip
    assert found.errors == []


def test_a_pattern_is_expanded_and_no_scan_comes_twice(archive: Path) -> None:
    found = find_scans([f"{archive}/box/p*", archive / "box/p2.PNG", f"{archive}/**/*.pdf"])
    assert [scan.name for scan in found.scans] == ["p2.PNG", "p10.png", "a.pdf"]


def test_a_named_file_is_taken_at_its_word(archive: Path) -> None:
    assert find_scans([archive / "box/n.txt"]).scans == [archive / "box/n.txt"]


def test_what_is_not_there_is_listed_and_the_rest_goes_on(archive: Path) -> None:
    found = find_scans(
        [archive / "nowhere.png", archive / "empty", f"{archive}/*.bmp", archive / "box/p10.png"]
    )
    assert [scan.name for scan in found.scans] == ["p10.png"]
    problems = [str(error) for error in found.errors]
    assert "no such file or folder" in problems[0]
    assert "no scans in this folder" in problems[1]
    assert "no scan fits this pattern" in problems[2]


def test_an_error_survives_the_way_back_from_a_worker() -> None:
    error = pickle.loads(pickle.dumps(PageError(Path("a.png"), "torn")))
    assert (str(error), error.path, error.problem) == ("a.png: torn", Path("a.png"), "torn")
