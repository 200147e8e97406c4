"""A bag set that was saved is loaded as it was, or not at all."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from handshift.bag.draw import Drawer
from handshift.bag.pages import Key, documents_of, pages_of
from handshift.bag.plan import Kind, Plan
from handshift.bag.source_protocol import source_bags
from handshift.bag.storage import BagSetError, load_bags, save_bags
from handshift.core.errors import HandshiftError


@pytest.fixture
def bags(words):
    kinds = {Kind.SINGLE: 1, Kind.SPLICED: 1, Kind.MIXED: 1}
    drawer = Drawer(pages_of(words, "abcdef"), Plan(None, shares=(0.1, 0.3), kinds=kinds))
    return drawer.draw(60, np.random.default_rng(1))


def columns(bags):
    return [
        getattr(bags, name) for name in ("rows", "offsets", "foreign", "label", "writer", "kind", "key")
    ] + [
        bags.share,
        bags.pattern,
    ]


def test_what_was_saved_is_loaded(bags, words, tmp_path):
    source = source_bags(documents_of(words, "abc", Key.SESSION), np.random.default_rng(2))
    for number, given in enumerate((bags, source, bags.take([0]))):
        save_bags(given, tmp_path / str(number))
        found = load_bags(tmp_path / str(number), words.page.size)
        assert (found.width == given.width and found.nbytes == given.nbytes) or number == 2
        for one, other in zip(columns(found), columns(given), strict=True):
            assert one.dtype.kind == other.dtype.kind and (one == other).all()


def test_nothing_that_runs_code_is_written(bags, tmp_path):
    save_bags(bags, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bags.parquet", "offsets.npy", "rows.npy"]
    assert np.load(tmp_path / "rows.npy", allow_pickle=False).dtype == np.int32


def test_bags_of_another_vector_array_are_refused(bags, tmp_path):
    save_bags(bags, tmp_path)
    with pytest.raises(BagSetError, match="of 5 vectors"):
        load_bags(tmp_path, 5)


def test_files_of_two_sets_are_not_read_as_one(bags, words, tmp_path):
    save_bags(bags, tmp_path / "one")
    save_bags(bags.take(np.arange(60)[::-1]), tmp_path / "two")
    (tmp_path / "one" / "rows.npy").write_bytes((tmp_path / "two" / "rows.npy").read_bytes())
    with pytest.raises(BagSetError, match="not of one set"):
        load_bags(tmp_path / "one", words.page.size)


@pytest.mark.parametrize("name", ["bags.parquet", "offsets.npy", "rows.npy"])
@pytest.mark.parametrize("damage", ["missing", "empty", "cut short", "other"])
def test_damaged_files_are_named(bags, words, tmp_path, name, damage):
    save_bags(bags, tmp_path)
    path = tmp_path / name
    content = path.read_bytes()
    path.unlink()
    if damage != "missing":
        path.write_bytes(
            {"empty": b"", "cut short": content[: len(content) // 2], "other": b"\x80\x04N."}[damage]
        )
    with pytest.raises(BagSetError, match=r"not a bag set .* Save it again"):
        load_bags(tmp_path, words.page.size)


def test_without_pyarrow_the_extra_is_named(bags, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(HandshiftError, match=r"handshift\[train\]"):
        save_bags(bags, tmp_path)
