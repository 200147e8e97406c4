from pathlib import Path

import pytest

from handshift.core.atomic import WriteError, write_bytes, write_text


def test_a_file_is_replaced_whole_and_no_part_is_left(tmp_path: Path) -> None:
    target = tmp_path / "new folder" / "report.html"
    write_text(target, "first\n")
    write_text(target, "größer\n")
    assert target.read_bytes() == "größer\n".encode()
    assert [path.name for path in target.parent.iterdir()] == ["report.html"]


def test_a_folder_in_the_way_is_a_clear_error_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(WriteError, match="taken: cannot be written"):
        write_bytes(tmp_path / "taken", b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_a_parent_that_is_a_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("keep me")
    with pytest.raises(WriteError, match="cannot be written"):
        write_text(tmp_path / "file" / "below.json", "{}")
    assert (tmp_path / "file").read_text() == "keep me"
