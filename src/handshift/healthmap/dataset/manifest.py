"""A data set told by a table instead of by folders."""

from __future__ import annotations

from collections import Counter
from math import ceil
from pathlib import Path

from handshift.corpus.error import CorpusError
from handshift.corpus.manifest import inside, read_rows
from handshift.healthmap.dataset.dataset import HELD_BACK, MapDataset, divide, ordered
from handshift.healthmap.dataset.item import GOOD, MapItem
from handshift.healthmap.error import MapError

NORMAL = frozenset({"good", "normal", "healthy", "0"})
FAULTY = frozenset({"fault", "faulty", "defect", "defective", "anomaly", "broken", "bad", "1"})
TEST_SHARE = 0.25


def read_manifest(path: Path, held_back: float = HELD_BACK) -> MapDataset:
    """Read a CSV with the columns path and label, and defect, domain, mask or split where known.

    Where no split is told, faults are tested on and so is the last quarter of each domain's normal maps.
    """
    items: list[tuple[MapItem, str]] = []
    try:
        rows = read_rows(path, ("path", "label"))
    except CorpusError as error:
        raise MapError(path, str(error).removeprefix(f"{path}: ")) from error
    for line, row in rows:
        try:
            items.append((_item(path.parent, row), _split(row)))
        except CorpusError as error:
            raise MapError(path, f"line {line}: {error}") from error
    _check_once(path, [item for item, _ in items])
    train = [item for item, split in items if split == "train"]
    test = [item for item, split in items if split == "test"]
    undecided = [item for item, split in items if not split]
    test += [item for item in undecided if item.label]
    for domain in {item.domain for item in undecided}:
        normal = ordered(item for item in undecided if item.domain == domain and not item.label)
        keep = len(normal) - ceil(TEST_SHARE * len(normal))
        train += normal[:keep]
        test += normal[keep:]
    return divide(path.parent, train, test, held_back)


def _item(root: Path, row: dict[str, str]) -> MapItem:
    label = row["label"].strip().lower()
    if label not in NORMAL | FAULTY:
        raise CorpusError(f"the label {row['label']!r} is neither good nor fault")
    defect = GOOD if label in NORMAL else row.get("defect", "fault").strip()
    if defect == GOOD and label in FAULTY:
        raise CorpusError("labelled as faulty, but its defect is 'good'")
    mask = inside(root, row["mask"]) if row.get("mask") else None
    return MapItem(inside(root, row["path"]), row.get("domain", root.resolve().name).strip(), defect, mask)


def _split(row: dict[str, str]) -> str:
    split = row.get("split", "").strip().lower()
    if split not in ("", "train", "test"):
        raise CorpusError(f"the split {split!r} is neither train nor test")
    if split == "train" and row["label"].strip().lower() in FAULTY:
        raise CorpusError("a faulty map in the train split; only normal maps are learned from")
    return split


def _check_once(path: Path, items: list[MapItem]) -> None:
    counts = Counter(item.path for item in items)
    if twice := [place for place, count in counts.items() if count > 1]:
        raise MapError(path, f"{twice[0].relative_to(path.parent)} is listed more than once")
