import json
from pathlib import Path

import pytest

from handshift.core.errors import CorpusError
from handshift.corpus.split import Stratum, WriterSplit

PAGES = {f"full{n:02}": 20 for n in range(40)} | {f"thin{n:02}": 1 for n in range(25)}


def test_every_writer_is_in_exactly_one_part() -> None:
    split = WriterSplit.make("toy", PAGES, seed=1)
    dealt = [writer for writers in split.parts.values() for writer in writers]
    assert sorted(dealt) == sorted(PAGES)


def test_each_stratum_is_dealt_by_its_own_shares() -> None:
    parts = WriterSplit.make("toy", PAGES, seed=1).parts
    full = {part: sum(w.startswith("full") for w in writers) for part, writers in parts.items()}
    thin = {part: sum(w.startswith("thin") for w in writers) for part, writers in parts.items()}
    assert full == {"train": 20, "calibration": 7, "validation": 4, "test": 9}
    assert thin == {"train": 20, "calibration": 2, "validation": 1, "test": 2}


def test_the_seed_alone_decides() -> None:
    backwards = dict(reversed(PAGES.items()))
    assert WriterSplit.make("toy", PAGES, seed=1) == WriterSplit.make("toy", backwards, seed=1)
    assert WriterSplit.make("toy", PAGES, seed=1).parts != WriterSplit.make("toy", PAGES, seed=2).parts


def test_a_saved_split_loads_as_it_was(tmp_path: Path) -> None:
    split = WriterSplit.make("toy", PAGES, seed=7)
    split.save(tmp_path / "split.json")
    assert WriterSplit.load(tmp_path / "split.json", known=PAGES) == split
    assert split.part_of(split.parts["test"][0]) == "test"
    assert split.part_of("stranger") is None


def test_a_writer_too_thin_for_every_stratum_is_refused() -> None:
    with pytest.raises(CorpusError, match="'few' has too few samples"):
        WriterSplit.make("toy", {"few": 1}, seed=1, strata=[Stratum(2, {"train": 1.0})])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("not json", "not a split"),
        ('{"parts": {}}', "not a split"),
        ('{"corpus": "c", "seed": 1, "parts": {"train": "abc"}}', "not a split"),
        ('{"corpus": "c", "seed": 1, "parts": {"train": ["a"], "test": ["a"]}}', "share 1 writer"),
        ('{"corpus": "c", "seed": 1, "parts": {"train": ["a", "a"]}}', "names a writer more than once"),
        ('{"corpus": "c", "seed": 1, "parts": {"train": ["b"]}}', "the corpus lacks, 'b'"),
    ],
)
def test_a_bad_split_is_refused_with_its_path(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(content)
    with pytest.raises(CorpusError, match=message) as caught:
        WriterSplit.load(path, known=["a"])
    assert str(path) in str(caught.value)


def test_a_missing_split_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="cannot be read"):
        WriterSplit.load(tmp_path / "none.json")


def test_the_projects_own_split_is_sound() -> None:
    path = Path(__file__).parents[2] / "studies" / "splits" / "csafe.json"
    split = WriterSplit.load(path)
    assert json.loads(path.read_text())["seed"] == 2026
    assert {part: len(writers) for part, writers in split.parts.items()} == {
        "train": 163, "calibration": 30, "validation": 18, "test": 35,
    }  # fmt: skip


@pytest.mark.parametrize("twin", ["w07", "W07", "W 07", "Ｗ07", "w07 "])
def test_a_writer_on_both_sides_is_found_under_any_spelling(twin: str) -> None:
    with pytest.raises(CorpusError, match="share 1 writer"):
        WriterSplit("c", 1, {"train": ("w01", "w07"), "test": ("w02", twin)})


def test_other_writers_are_not_taken_for_a_leak() -> None:
    WriterSplit("c", 1, {"train": ("w1", "w10"), "test": ("w01", "w100")})
