"""The ways a folder of maps may be laid out, and how each is recognised."""

from __future__ import annotations

from pathlib import Path

from handshift.healthmap.dataset.dataset import HELD_BACK, MapDataset, divide
from handshift.healthmap.dataset.item import GOOD, MapItem
from handshift.healthmap.dataset.manifest import read_manifest
from handshift.healthmap.error import MapError
from handshift.healthmap.maps import MAP_SUFFIXES
from handshift.page.finding import natural_order

MANIFEST = "manifest.csv"
MASKS = "ground_truth"


def read_dataset(path: Path | str, held_back: float = HELD_BACK) -> MapDataset:
    """Recognise the layout of a folder and read it; a CSV manifest may be named instead.

    In this order: ``manifest.csv``; a folder with ``train/good`` in it, which is one domain; and folders of
    that kind side by side, each a domain. ``test`` holds ``good`` and one folder for each defect (``fault``
    will do), with masks as ``ground_truth/<defect>/<name>_mask.png``, as in MVTec's data.
    """
    path = Path(path)
    if path.is_file():
        return read_manifest(path, held_back)
    if not path.is_dir():
        raise MapError(path, "no such folder; check the spelling")
    if (path / MANIFEST).is_file():
        return read_manifest(path / MANIFEST, held_back)
    domains = [path] if (path / "train").is_dir() else _folders(path)
    domains = [folder for folder in domains if (folder / "train").is_dir() or (folder / "test").is_dir()]
    if not domains:
        raise MapError(
            path, f"no data set recognised; lay it out as <domain>/train/good, or write a {MANIFEST}"
        )
    train = [item for folder in domains for item in _train(folder)]
    test = [item for folder in domains for item in _test(folder)]
    return divide(path, train, test, held_back)


def _train(domain: Path) -> list[MapItem]:
    for folder in _folders(domain / "train"):
        if folder.name != GOOD:
            raise MapError(folder, f"only normal maps are learned from; move it to {domain.name}/test")
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
