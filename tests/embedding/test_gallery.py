"""A gallery keeps people's vectors whole, for one model only, and under one spelling."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from handshift.embedding.crops.file_contents import FileContents
from handshift.embedding.gallery import TABLE, Entry, Gallery, GalleryError


def page(name: str, number: int, words: int = 3) -> Entry:
    return Entry(name, f"{number}.png", f"{number:064x}", 1, words)


def rows(words: int, value: float = 1.0) -> np.ndarray:
    return np.full((words, 4), value, np.float32)


@pytest.fixture
def gallery() -> Gallery:
    empty = Gallery("f00d", "words-2", FileContents.PAGE)
    both = np.concatenate([rows(3, 1), rows(2, 2)])
    return empty.with_entries([page("Ann", 1), page("Bob", 2, 2)], both).with_entries(
        [page("Ann", 3)], rows(3, 3)
    )


def test_a_name_has_the_words_of_all_its_pages(gallery):
    assert gallery.names == ["Ann", "Bob"]
    ann, bob = gallery.sets()
    assert ann[:, 0].tolist() == [1, 1, 1, 3, 3, 3]
    assert bob[:, 0].tolist() == [2, 2]


def test_it_is_read_back_as_it_was_written(gallery, tmp_path):
    gallery.save(tmp_path)
    again = Gallery.load(tmp_path)
    assert again.entries == gallery.entries and again.cut is FileContents.PAGE
    assert (again.fingerprint, again.model) == ("f00d", "words-2")
    assert np.array_equal(again.vectors, gallery.vectors)


def test_only_the_newest_vectors_stay_and_strangers_files_do_too(gallery, tmp_path):
    (tmp_path / "vectors-mine.npy").write_bytes(b"somebody's own")
    gallery.save(tmp_path)
    gallery.without(["Bob"]).save(tmp_path)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert len(names) == 3 and {TABLE, "vectors-mine.npy"} < set(names)
    assert len(Gallery.load(tmp_path).vectors) == 6


def test_if_the_table_cannot_be_written_the_old_gallery_stands(gallery, tmp_path, monkeypatch):
    gallery.save(tmp_path)

    def full(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(sys.modules[Gallery.__module__], "write_text", full)
    with pytest.raises(OSError, match="disk full"):
        gallery.without(["Ann"]).save(tmp_path)
    assert Gallery.load(tmp_path).names == ["Ann", "Bob"]


def test_a_person_is_forgotten_with_all_vectors(gallery):
    left = gallery.without(["Ann"])
    assert left.names == ["Bob"]
    assert left.vectors[:, 0].tolist() == [2, 2]
    with pytest.raises(GalleryError, match="nobody is enrolled as 'Cyd'; enrolled are: Ann, Bob"):
        gallery.without(["Cyd"])


def test_a_page_is_not_taken_twice(gallery):
    assert gallery.with_entries([page("Ann", 1)], rows(3)).entries == gallery.entries
    with pytest.raises(GalleryError, match=r"1\.png is enrolled as 'Ann' already"):
        gallery.with_entries([page("Bob", 1)], rows(3))


def test_one_name_has_one_spelling(gallery):
    with pytest.raises(GalleryError, match="'ann' is spelled 'Ann'"):
        gallery.with_entries([page("ann", 9)], rows(3))


def test_another_models_gallery_is_refused(gallery):
    gallery.check("f00d", FileContents.PAGE)
    with pytest.raises(GalleryError, match="made with another model, 'words-2'"):
        gallery.check("beef")
    with pytest.raises(GalleryError, match="--cut page, not word"):
        gallery.check("f00d", FileContents.WORD)


@pytest.mark.parametrize(
    "damage",
    [
        {"vectors": "../../secret.npy"},
        {"vectors": "vectors-0000000000000000.npy"},
        {"pages": []},
        {"cut": "slice"},
        {"pages": [{"name": "Ann"}]},
    ],
    ids=["path outside", "vectors gone", "rows left over", "unknown cut", "half an entry"],
)
def test_a_damaged_gallery_is_reported_in_one_sentence(gallery, tmp_path, damage):
    gallery.save(tmp_path)
    table = json.loads((tmp_path / TABLE).read_text())
    (tmp_path / TABLE).write_text(json.dumps(table | damage))
    with pytest.raises(GalleryError, match="not a gallery, or damaged"):
        Gallery.load(tmp_path)


def test_vectors_are_never_unpickled(gallery, tmp_path):
    gallery.save(tmp_path)
    (vectors,) = tmp_path.glob("vectors-*.npy")
    np.save(vectors, np.array([{"a": 1}], object), allow_pickle=True)
    with pytest.raises(GalleryError, match="damaged"):
        Gallery.load(tmp_path)
