"""Reading data sets: MVTec layout, one folder per domain, or a CSV manifest."""

from __future__ import annotations

from collections import Counter
from math import ceil
from pathlib import Path

from handshift.core.errors import CorpusError, MapError
from handshift.corpus.manifest import inside, read_rows
from handshift.healthmap.dataset.map_dataset import (
    GOOD,
    VALIDATION_SHARE,
    MapDataset,
    MapItem,
    hold_out_validation,
    ordered,
)
from handshift.healthmap.health_map import MAP_SUFFIXES
from handshift.page.walk_files import natural_order

NORMAL = frozenset({"good", "normal", "healthy", "0"})
FAULTY = frozenset({"fault", "faulty", "defect", "defective", "anomaly", "broken", "bad", "1"})
TEST_SHARE = 0.25


def read_manifest(path: Path, validation_share: float = VALIDATION_SHARE) -> MapDataset:
    """Read a CSV manifest with the columns path and label and, optionally, defect, domain, mask and split.

    Without a split, the test part is all faults and the last quarter of each domain's normal maps.

    Args:
        path: The CSV file; paths in it are relative to its folder.
        validation_share: Share of the normal training maps held out for thresholds.

    Returns:
        The data set.

    Raises:
        MapError: A column is missing, a row is wrong, or a file is listed twice.
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
    return hold_out_validation(path.parent, train, test, validation_share)


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
        raise CorpusError("a faulty map in the train split; train on normal maps only")
    return split


def _check_once(path: Path, items: list[MapItem]) -> None:
    counts = Counter(item.path for item in items)
    if twice := [place for place, count in counts.items() if count > 1]:
        raise MapError(path, f"{twice[0].relative_to(path.parent)} is listed more than once")


MANIFEST = "manifest.csv"
MASKS = "ground_truth"


def read_dataset(path: Path | str, validation_share: float = VALIDATION_SHARE) -> MapDataset:
    """Read a data set, recognising its layout.

    Layouts are tried in this order: a ``manifest.csv``; a folder that contains ``train/good``, which is one
    domain; several such folders, one for each domain. ``test`` holds ``good`` and one folder for each defect
    (for example ``fault``), with masks as ``ground_truth/<defect>/<name>_mask.png``, as in MVTec AD.

    Args:
        path: The folder, or a CSV manifest.
        validation_share: Share of the normal training maps held out for thresholds.

    Returns:
        The data set.

    Raises:
        MapError: No layout matches, a folder is empty, or a training folder holds faults.
    """
    path = Path(path)
    if path.is_file():
        return read_manifest(path, validation_share)
    if not path.is_dir():
        raise MapError(path, "no such folder; check the spelling")
    if (path / MANIFEST).is_file():
        return read_manifest(path / MANIFEST, validation_share)
    domains = [path] if (path / "train").is_dir() else _folders(path)
    domains = [folder for folder in domains if (folder / "train").is_dir() or (folder / "test").is_dir()]
    if not domains:
        raise MapError(
            path, f"no data set recognised; lay it out as <domain>/train/good, or write a {MANIFEST}"
        )
    train = [item for folder in domains for item in _train(folder)]
    test = [item for folder in domains for item in _test(folder)]
    return hold_out_validation(path, train, test, validation_share)


def is_dataset(path: Path) -> bool:
    """Whether `read_dataset` recognises a folder or file: a manifest, one domain, or several."""
    if path.is_file():
        return path.suffix.lower() == ".csv"
    if (path / MANIFEST).is_file() or (path / "train").is_dir():
        return True
    return any((folder / "train").is_dir() for folder in _folders(path))


def _train(domain: Path) -> list[MapItem]:
    for folder in _folders(domain / "train"):
        if folder.name != GOOD:
            raise MapError(folder, f"only normal maps may be trained on; move it to {domain.name}/test")
    return [MapItem(path, domain.name) for path in _maps(domain / "train" / GOOD)]


def _test(domain: Path) -> list[MapItem]:
    return [
        MapItem(path, domain.name, folder.name, _mask(domain, folder.name, path))
        for folder in _folders(domain / "test")
        for path in _maps(folder)
    ]


def _maps(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise MapError(
            folder, "no such folder, so the domain is empty; add its maps, or leave the domain out"
        )
    found = [path for path in folder.iterdir() if path.suffix.lower() in MAP_SUFFIXES and path.name[0] != "."]
    if not found:
        kinds = ", ".join(sorted(suffix[1:] for suffix in MAP_SUFFIXES))
        raise MapError(folder, f"no maps in this folder (looked for {kinds}); add them, or remove the folder")
    return sorted(found, key=natural_order)


def _mask(domain: Path, defect: str, path: Path) -> Path | None:
    folder = domain / MASKS / defect
    if defect == GOOD or not folder.is_dir():
        return None
    named = (folder / f"{path.stem}{tail}" for tail in ("_mask.png", ".png", ".tif", ".npy"))
    mask = next((place for place in named if place.is_file()), None)
    if mask is None:
        raise MapError(
            path, f"has no mask in {MASKS}/{defect}; add {path.stem}_mask.png, or remove that folder"
        )
    return mask


def _folders(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    inside = (place for place in folder.iterdir() if place.is_dir() and place.name[0] != ".")
    return sorted(inside, key=natural_order)
