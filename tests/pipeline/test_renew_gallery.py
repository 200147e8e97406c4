"""A gallery moves to another model by its own files, and never silently loses one."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from handshift.embedding.gallery import Gallery, GalleryError
from handshift.pipeline.comparer import Comparer
from handshift.pipeline.identifier import enroll
from handshift.pipeline.renew_gallery import renew


@pytest.fixture
def enrolled(tmp_path: Path, tiny_model: str, pages: Path) -> tuple[Path, Path]:
    """A gallery of two people, and the folder with their pages."""
    own = tmp_path / "own"
    for number in (0, 1):
        shutil.copytree(pages / f"scribe-{number}", own / f"scribe-{number}")
    enroll(Comparer(tiny_model), {f"scribe-{n}": own / f"scribe-{n}" for n in (0, 1)}, tmp_path / "gallery")
    return tmp_path / "gallery", own


def test_all_pages_are_embedded_by_the_other_model(enrolled: tuple[Path, Path], other_model: str) -> None:
    folder, _ = enrolled
    before, other = Gallery.load(folder), Comparer(other_model)
    with pytest.raises(GalleryError, match="enroll --renew"):
        before.check(other.fingerprint)
    done = renew(other, folder)
    after = Gallery.load(folder)
    after.check(other.fingerprint)
    assert done.missing == ()
    assert [(e.name, e.source, e.page) for e in after.entries] == [
        (e.name, e.source, e.page) for e in before.entries
    ]
    assert not np.allclose(after.vectors, before.vectors)


def test_nothing_changes_where_a_file_is_gone_or_altered(
    enrolled: tuple[Path, Path], other_model: str
) -> None:
    folder, own = enrolled
    before = Gallery.load(folder)
    (own / "scribe-0" / "a.png").unlink()
    with (own / "scribe-1" / "a.png").open("ab") as file:
        file.write(b"!")
    with pytest.raises(
        GalleryError, match=r"2 enrolled files.*a.png: not there.*changed since it was enrolled"
    ):
        renew(Comparer(other_model), folder)
    assert Gallery.load(folder).fingerprint == before.fingerprint


def test_missing_files_are_left_out_and_listed_when_that_is_wanted(
    enrolled: tuple[Path, Path], other_model: str
) -> None:
    folder, own = enrolled
    (own / "scribe-0" / "a.png").unlink()
    done = renew(Comparer(other_model), folder, drop_missing=True)
    assert [line.endswith("a.png: not there") for line in done.missing] == [True]
    assert done.gallery.names == ["scribe-0", "scribe-1"]
    assert done.renewed == len(Gallery.load(folder).entries)


def test_a_gallery_of_which_nothing_is_left_is_not_emptied(
    enrolled: tuple[Path, Path], other_model: str
) -> None:
    folder, own = enrolled
    shutil.rmtree(own)
    with pytest.raises(GalleryError, match="none of the enrolled files is left"):
        renew(Comparer(other_model), folder, drop_missing=True)
    assert Gallery.load(folder).entries
