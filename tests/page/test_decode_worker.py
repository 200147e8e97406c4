"""Files that hang, crash or bloat the decoder cost one clear error each, and nothing else."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from handshift.core.errors import BlankPageError, PageError
from handshift.page import decode_worker
from handshift.page.decode_worker import WORKER, IsolatedFile, isolated_pages, isolated_segmentation
from handshift.page.scan import Scan, scan_pages
from handshift.page.sidecar import find_segmentation
from handshift.page.word import Page
from handshift.pipeline.read_pages import process_pages, read_pages, require_writing


@pytest.fixture
def letter(tmp_path: Path) -> Path:
    path = tmp_path / "letter.png"
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (60, 80, 3), np.uint8)).save(
        path, dpi=(200, 200)
    )
    return path


def test_a_page_comes_out_as_the_decoder_in_this_process_gives_it(letter: Path):
    (here,), (there,) = list(scan_pages(letter)), list(isolated_pages(letter))
    assert isinstance(here, Scan) and isinstance(there, Scan)
    np.testing.assert_array_equal(here.image, there.image)
    assert (here.source, here.sha256, here.number, here.dpi) == (
        there.source,
        there.sha256,
        there.number,
        there.dpi,
    )


def test_errors_are_those_of_the_decoder_in_this_process(tmp_path: Path, letter: Path):
    (tmp_path / "cut.png").write_bytes(letter.read_bytes()[:300])
    (tmp_path / "notes.txt").write_text("hello")
    for name in ("cut.png", "notes.txt", "absent.png"):
        (here,), (there,) = list(scan_pages(tmp_path / name)), list(isolated_pages(tmp_path / name))
        assert isinstance(here, PageError) and isinstance(there, PageError)
        assert (str(here), here.sha256, here.number) == (str(there), there.sha256, there.number)


def test_a_pdf_that_never_ends_is_given_up_and_the_next_file_is_read(
    tmp_path: Path, letter: Path, endless_pdf: bytes, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "hang.pdf").write_bytes(endless_pdf)
    WORKER.start()
    list(isolated_pages(letter))  # the process is up before its time is measured
    monkeypatch.setattr(decode_worker, "WALL_SECONDS", 2.0)
    started = time.monotonic()
    (error,) = isolated_pages(tmp_path / "hang.pdf")
    assert time.monotonic() - started < 30
    assert isinstance(error, PageError) and "takes too long" in str(error)
    assert error.sha256
    monkeypatch.undo()
    (scan,) = isolated_pages(letter)
    assert isinstance(scan, Scan)


def test_pages_after_one_that_kills_the_worker_are_still_read(tmp_path: Path):
    pages = [Image.fromarray(np.full((40, 50, 3), shade, np.uint8)) for shade in (10, 20, 30)]
    path = tmp_path / "pages.tiff"
    pages[0].save(path, save_all=True, append_images=pages[1:])
    with IsolatedFile(path) as file:
        assert file.scan(0).image[0, 0, 0] == 10
        assert WORKER._process is not None
        WORKER._process.kill()
        WORKER._process.wait()
        assert file.scan(1).image[0, 0, 0] == 20
        assert file.scan(2).image[0, 0, 0] == 30


def test_a_file_that_changed_while_the_worker_was_replaced_is_refused(tmp_path: Path, letter: Path):
    with IsolatedFile(letter) as file:
        assert WORKER._process is not None
        WORKER._process.kill()
        WORKER._process.wait()
        Image.fromarray(np.zeros((60, 80, 3), np.uint8)).save(letter)
        with pytest.raises(PageError, match="changed while it was being read"):
            file.scan(0)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not bound the address space")
def test_a_small_file_that_unpacks_to_gigabytes_is_refused_within_the_limit(tmp_path: Path):
    path = tmp_path / "bomb.png"
    Image.new("RGBA", (7000, 7000)).save(path, compress_level=1)
    assert path.stat().st_size < 1_000_000
    code = (
        "from pathlib import Path; from handshift.page import decode_server as s; s.MEMORY = 300 << 20;"
        "server = s.DecodeServer();"
        f"server.answer({{'do': 'open', 'file': 1, 'path': {str(path)!r}}});"
        f"print(server.answer({{'do': 'scan', 'file': 1, 'number': 0, 'path': {str(path)!r}}})[0]['problem'])"
    )
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment, check=False)
    assert b"memory" in done.stdout, done.stderr.decode()


def test_xml_beside_a_scan_is_parsed_by_the_worker(letter: Path):
    assert isolated_segmentation(letter) is None
    letter.with_suffix(".xml").write_text(
        '<PcGts><Page imageWidth="80" imageHeight="60"><TextRegion><TextLine><Coords points="1,2 30,40"/>'
        "<TextEquiv><Unicode>안녕</Unicode></TextEquiv></TextLine></TextRegion></Page></PcGts>"
    )
    assert isolated_segmentation(letter) == find_segmentation(letter)
    (page,) = read_pages(letter)
    assert not isinstance(page, PageError)
    letter.with_suffix(".xml").write_text("<PcGts><Page>")
    with pytest.raises(PageError, match="not well-formed"):
        isolated_segmentation(letter)


def test_names_that_are_no_utf8_are_read(tmp_path: Path, letter: Path):
    odd = os.fsencode(tmp_path) + b"/odd-\xff.png"
    try:
        letter.rename(os.fsdecode(odd))
    except OSError:
        pytest.skip("this file system allows UTF-8 names only")
    (scan,) = isolated_pages(Path(os.fsdecode(odd)))
    assert isinstance(scan, Scan)


def test_a_folder_with_a_module_of_a_librarys_name_is_not_imported_from(tmp_path: Path, letter: Path):
    (tmp_path / "numpy.py").write_text("raise SystemExit('imported from the current folder')")
    code = (
        "from handshift.page.decode_worker import isolated_pages;"
        f"print(list(isolated_pages({str(letter)!r})))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=tmp_path, capture_output=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    assert b"PageError" not in done.stdout


def test_the_errors_of_a_run_do_not_hold_the_pixels_of_their_pages(tmp_path: Path):
    blank = Image.new("RGB", (300, 200), "white")
    blank.save(tmp_path / "blank.tiff", save_all=True, append_images=[blank] * 5, dpi=(200, 200))

    def refuse(page: Page) -> None:
        require_writing(page, "found no words")

    errors = list(process_pages(tmp_path / "blank.tiff", refuse))
    assert [type(error) for error in errors] == [BlankPageError] * 6
    gc.collect()
    kept = [found for found in gc.get_objects() if type(found) in (Scan, Page)]
    assert not [found for found in kept if found.source == tmp_path / "blank.tiff"]
    assert all(error.__cause__ is not None for error in errors if isinstance(error, PageError))
