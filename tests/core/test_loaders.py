"""Damaged, hostile and oversized files are one error, raised before memory is allocated."""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from handshift.core.loaders import (
    LoadError,
    map_npy,
    plain_name,
    read_json,
    read_json_object,
    read_npy,
    read_npz,
)


def npy_bytes(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def header_only(shape: tuple[int, ...], descr: str = "<f8") -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": descr, "fortran_order": False, "shape": shape})
    return buffer.getvalue()


def test_json_is_read_with_and_without_a_byte_order_mark(tmp_path: Path):
    for encoding in ("utf-8", "utf-8-sig"):
        (tmp_path / "a.json").write_text('{"name": "손글씨"}', encoding)
        assert read_json_object(tmp_path / "a.json") == {"name": "손글씨"}


@pytest.mark.parametrize(
    "content",
    [b"", b'{"a": 1', b"\xff\xfe{", b"[" * 100_000, b"9" * 10_000, b"\0" * 20],
    ids=["empty", "truncated", "not UTF-8", "deep", "a number too long", "zeros"],
)
def test_json_that_is_not_whole_is_refused_by_name(tmp_path: Path, content: bytes):
    path = tmp_path / "gallery.json"
    path.write_bytes(content)
    with pytest.raises(LoadError, match=r"gallery\.json: not a gallery"):
        read_json(path, "a gallery")


def test_json_of_another_kind_is_refused(tmp_path: Path):
    (tmp_path / "a.json").write_text("[1, 2]")
    with pytest.raises(LoadError, match="holds a JSON array"):
        read_json_object(tmp_path / "a.json")


def test_a_missing_array_is_named_once(tmp_path: Path):
    with pytest.raises(LoadError) as caught:
        map_npy(tmp_path / "vectors.npy")
    path = tmp_path / "vectors.npy"
    assert str(caught.value) == f"{path}: cannot be read as an array (No such file or directory)"


def test_a_missing_a_large_and_an_irregular_file_are_refused(tmp_path: Path):
    with pytest.raises(LoadError, match="cannot be read"):
        read_json(tmp_path / "absent.json")
    with pytest.raises(LoadError, match="cannot be read"):
        read_json(tmp_path / "nul\0byte.json")
    (tmp_path / "large.json").write_text(json.dumps("x" * 200))
    with pytest.raises(LoadError, match="at most 100"):
        read_json(tmp_path / "large.json", limit=100)
    with pytest.raises(LoadError, match="not a regular file"):
        read_json(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs on this system")
def test_a_fifo_that_nobody_writes_to_does_not_block(tmp_path: Path):
    os.mkfifo(tmp_path / "fifo.json")
    with pytest.raises(LoadError, match="not a regular file"):
        read_json(tmp_path / "fifo.json")


@pytest.mark.parametrize(
    "array",
    [np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6).reshape(2, 3)), np.zeros((0, 4)),
     np.array(3.5), np.array(["ab", "c"]), np.array([True, False])],
    ids=["floats", "fortran", "empty", "scalar", "text", "flags"],
)  # fmt: skip
def test_arrays_come_back_as_they_were_saved(tmp_path: Path, array: np.ndarray):
    path = tmp_path / "a.npy"
    np.save(path, array)
    for read in (read_npy(path), map_npy(path)):
        assert read.dtype == array.dtype
        np.testing.assert_array_equal(read, array)
    np.savez_compressed(tmp_path / "b.npz", one=array, two=array)
    stored = read_npz(tmp_path / "b.npz")
    assert sorted(stored) == ["one", "two"]
    np.testing.assert_array_equal(stored["two"], array)


@pytest.mark.parametrize(
    "content",
    [b"", b"\x93NUMPY", npy_bytes(np.arange(100.0))[:-1], header_only((1 << 60,)), header_only((-3, 4)),
     header_only((1 << 40, 1 << 40)), b"\x93NUMPY\x09\x00" + b"\0" * 50, npy_bytes(np.arange(9.0))[:40]],
    ids=["empty", "magic only", "a byte short", "huge", "negative", "overflowing", "version 9", "cut header"],
)  # fmt: skip
def test_an_array_that_states_more_than_the_file_holds_is_never_allocated(tmp_path: Path, content: bytes):
    path = tmp_path / "a.npy"
    path.write_bytes(content)
    for read in (read_npy, map_npy):
        with pytest.raises(LoadError, match=r"a\.npy"):
            read(path)
    with zipfile.ZipFile(tmp_path / "b.npz", "w") as archive:
        archive.writestr("x.npy", content)
    with pytest.raises(LoadError, match=r"b\.npz"):
        read_npz(tmp_path / "b.npz")


def test_python_objects_are_never_unpickled(tmp_path: Path):
    np.save(tmp_path / "a.npy", np.array([{"a": 1}], object), allow_pickle=True)
    np.savez(tmp_path / "b.npz", x=np.array([print], object))
    for read, name in ((read_npy, "a.npy"), (map_npy, "a.npy"), (read_npz, "b.npz")):
        with pytest.raises(LoadError, match="type object"):
            read(tmp_path / name)


def test_a_compressed_archive_is_refused_by_what_it_unpacks_to(tmp_path: Path):
    np.savez_compressed(tmp_path / "bomb.npz", zeros=np.zeros(2_000_000))
    assert (tmp_path / "bomb.npz").stat().st_size < 100_000
    with pytest.raises(LoadError, match="more than 1,000,000 bytes"):
        read_npz(tmp_path / "bomb.npz", limit=1_000_000)


def test_a_truncated_archive_is_refused_at_every_length(tmp_path: Path):
    np.savez(tmp_path / "a.npz", x=np.arange(20), y=np.arange(3.0))
    whole = (tmp_path / "a.npz").read_bytes()
    for length in range(0, len(whole), 7):
        (tmp_path / "a.npz").write_bytes(whole[:length])
        with pytest.raises(LoadError):
            read_npz(tmp_path / "a.npz")


def test_archives_with_flipped_bytes_are_read_or_refused_but_raise_nothing_else(tmp_path: Path):
    np.savez_compressed(tmp_path / "a.npz", x=np.arange(200) % 7, y=np.arange(30.0))
    whole = (tmp_path / "a.npz").read_bytes()
    random = np.random.default_rng(3)
    refused = 0
    for _ in range(500):
        damaged = bytearray(whole)
        for place in random.integers(0, len(whole), random.integers(1, 5)):
            damaged[place] = random.integers(256)
        (tmp_path / "a.npz").write_bytes(damaged)
        try:
            read_npz(tmp_path / "a.npz")
        except LoadError:
            refused += 1
    assert refused > 100


@pytest.mark.parametrize(
    "name", ["../x.onnx", "a/b.onnx", "a\\b.onnx", "C:x.onnx", "", ".hidden", "a\nb", 3, None]
)
def test_names_that_lead_elsewhere_are_refused(name: object):
    with pytest.raises(ValueError, match=r"not a file name|out of the folder"):
        plain_name(name)


def test_a_plain_name_is_given_back():
    assert plain_name("relation-net.onnx") == "relation-net.onnx"
