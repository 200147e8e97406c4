"""Odd names, odd targets and unforeseen errors: nothing is forged, overwritten or passed off as success."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from handshift.cli.destination import FileNames, check_file
from handshift.cli.exits import Exit
from handshift.core.atomic import WriteError
from handshift.core.file_names import unfit_name
from handshift.corpus.scribes import demo_one_hand, save_page
from handshift.page.find_scans import find_scans
from handshift.page.walk_files import natural_order


def handshift(*arguments: object, code: str = "") -> subprocess.CompletedProcess[str]:
    start = f"{code}\nfrom handshift.cli import main\nmain()"
    command = [sys.executable, "-c", start, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=300, check=False)


@pytest.fixture(scope="module")
def letter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "letter.png"
    save_page(demo_one_hand(), path)
    return path


def test_an_unforeseen_error_has_its_own_exit_code_and_one_line(tmp_path: Path):
    code = "import handshift.page.find_scans as f\ndef broken(*_): raise ZeroDivisionError('oops')\n"
    done = handshift("examine", tmp_path, "--no-report", code=code + "f.find_scans = broken")
    assert done.returncode == 70
    assert done.stderr.count("\n") == 1 and "ZeroDivisionError: oops" in done.stderr
    details = Path(done.stderr.rpartition(" in ")[2].strip())
    assert "Traceback" in details.read_text()
    assert details.stat().st_mode & 0o077 == 0
    details.unlink()


def test_a_newline_in_a_name_does_not_forge_a_verdict(tmp_path: Path, letter: Path):
    forged = tmp_path / "a\nother.png p.1: 1 hand\x1b[2J.png"
    forged.write_bytes(letter.read_bytes())
    done = handshift("examine", forged, "--no-report")
    assert done.returncode == 0, done.stderr
    assert not any(row.startswith("other.png") for row in done.stdout.splitlines())
    assert "\x1b" not in done.stdout and "\\x0aother.png" in done.stdout


def test_a_blank_page_is_a_record_and_not_a_failure(tmp_path: Path, letter: Path):
    blank = tmp_path / "blank.png"
    Image.fromarray(np.full((400, 300, 3), 250, np.uint8)).save(blank)
    for command in ("examine", "hands"):
        found = tmp_path / f"{command}.json"
        options = ["--no-report"] if command == "examine" else []
        done = handshift(command, blank, letter, "--json", found, *options)
        assert done.returncode == Exit.ALL_EXAMINED, done.stderr
        content = json.loads(found.read_text())
        records = content["pages"] + content.get("not_examined", [])
        assert sorted(record.get("status", "examined") for record in records) == ["blank", "examined"]


@pytest.mark.parametrize("name", ["page ².png", "①.png", "٣.png", "1" * 200 + ".png"])
def test_names_with_digits_of_any_kind_are_found_and_ordered(tmp_path: Path, name: str):
    (tmp_path / name).touch()
    (tmp_path / "2.png").touch()
    assert len(find_scans([tmp_path]).scans) == 2


def test_pages_are_ordered_by_their_numbers():
    names = ["p10.png", "p2.png", "p02.png", "p1.png", "q.png", "p9999999999999999999999.png"]
    assert [path.name for path in sorted(map(Path, names), key=natural_order)][:2] == ["p1.png", "p2.png"]
    assert sorted(map(Path, names), key=natural_order)[-2].name == "p9999999999999999999999.png"


def test_folders_nested_deeper_than_the_recursion_limit_are_searched(tmp_path: Path):
    depth, start = 1500, Path.cwd()
    try:
        os.chdir(tmp_path)
        for _ in range(depth):
            Path("d").mkdir()
            os.chdir("d")
        Path("deep.png").touch()
        found = find_scans([tmp_path])
        assert [scan.name for scan in found.scans] == ["deep.png"]
        Path("deep.png").unlink()
        for _ in range(depth):  # pytest would remove the tree recursively, and fail
            os.chdir("..")
            Path("d").rmdir()
    finally:
        os.chdir(start)


@pytest.mark.parametrize(
    "notes",
    [
        "My notes on handshift and what it found.",
        '{"notes": "handshift said", "handshift": "0.1"}',
        '{"handshift": ["my", "list"]}',
        "<html><body>handshift</body></html>",
        "<?xml version='1.0'?><notes>handshift</notes>",
    ],
)
def test_a_users_own_file_that_mentions_handshift_is_not_overwritten(tmp_path: Path, notes: str):
    path = tmp_path / "notes"
    path.write_text(notes)
    with pytest.raises(WriteError, match="was not written by handshift"):
        check_file(path)


def test_links_pipes_and_devices_are_refused_as_targets(tmp_path: Path):
    (tmp_path / "own.json").write_text('{"handshift": "0.1.0"}')
    check_file(tmp_path / "own.json")
    (tmp_path / "link.json").symlink_to(tmp_path / "own.json")
    with pytest.raises(WriteError, match="is a link"):
        check_file(tmp_path / "link.json")
    (tmp_path / "dangling.json").symlink_to(tmp_path / "absent.json")
    with pytest.raises(WriteError, match="is a link"):
        check_file(tmp_path / "dangling.json")
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(WriteError, match="not a regular file"):
        check_file(tmp_path / "pipe.json")


def test_what_handshift_wrote_is_recognised_and_replaced(tmp_path: Path, letter: Path):
    page_xml, tei = tmp_path / "xml", tmp_path / "tei"
    found, report = tmp_path / "found.json", tmp_path / "report"
    options = ["--json", found, "--page-xml", page_xml, "--tei", tei, "--out", report]
    assert handshift("examine", letter, *options).returncode == 0
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) >= 5
    for path in written:
        check_file(path)
    assert all(path.stat().st_mode & 0o077 == 0 for path in report.iterdir())


def test_a_pipe_as_input_is_refused_at_once(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.png")
    done = handshift("examine", tmp_path / "pipe.png", "--no-report")
    assert done.returncode == Exit.NONE_EXAMINED and "not an ordinary file" in done.stderr


def test_a_device_as_input_is_refused_at_once():
    done = handshift("examine", "/dev/zero", "--no-report")
    assert done.returncode == Exit.NONE_EXAMINED and "not an ordinary file" in done.stderr


def test_names_that_are_too_long_are_one_clear_error(tmp_path: Path, letter: Path):
    long = "a" * 300
    done = handshift("examine", tmp_path / f"{long}.png", "--no-report")
    assert done.returncode == Exit.NONE_EXAMINED and "cannot be opened (File name too long)" in done.stderr
    for option in ("--json", "--out"):
        done = handshift("examine", letter, option, tmp_path / long)
        assert done.returncode == Exit.NOT_WRITTEN, done.stderr
        assert "a name of 300 bytes is longer than the 255" in done.stderr


@pytest.mark.parametrize("name", ["aux.json", "NUL", "com1.html", "a?.json", "ends with a dot."])
def test_names_that_windows_reserves_are_refused_there(name: str):
    assert unfit_name(Path("results", name), windows=True)
    assert unfit_name(Path("results", name), windows=False) is None
    assert unfit_name(Path("results", "auxiliary.json"), windows=True) is None


def test_no_report_has_a_name_that_windows_reserves():
    names = FileNames()
    assert names.name(Path("aux.png"), 0, ".html") == "aux-page.html"
    assert names.name(Path("letter.png"), 1, ".html") == "letter-p2.html"


def test_pages_after_a_blank_verso_are_in_the_document(tmp_path: Path, letter: Path):
    with Image.open(letter) as page:
        sheet = page.convert("RGB")
    blank = Image.new("RGB", sheet.size, "white")
    sheet.save(tmp_path / "codex.tiff", save_all=True, append_images=[blank, sheet, blank], dpi=(200, 200))
    found = tmp_path / "found.json"
    done = handshift("hands", tmp_path / "codex.tiff", "--json", found)
    assert done.returncode == Exit.ALL_EXAMINED, done.stderr
    content = json.loads(found.read_text())
    numbers = [record["page"] for record in content["pages"] + content["not_examined"]]
    assert sorted(numbers) == [1, 2, 3, 4]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_ctrl_c_ends_a_run_whose_decoder_hangs(tmp_path: Path, endless_pdf: bytes):
    (tmp_path / "hang.pdf").write_bytes(endless_pdf)
    restore = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    command = [sys.executable, "-c", f"{restore}\nfrom handshift.cli import main\nmain()", "examine"]
    process = subprocess.Popen([*command, str(tmp_path / "hang.pdf"), "--no-report"], stderr=subprocess.PIPE)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    give_up = time.monotonic() + 30
    while children.exists() and not children.read_text() and time.monotonic() < give_up:
        time.sleep(0.05)  # until the decoding process is there
    time.sleep(0.8)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == Exit.INTERRUPTED
    assert process.stderr is not None
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()
