"""Whatever an archive offers becomes a list of files: IIIF, METS, packed files, URLs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from handshift.core.cache_folder import cache_folder
from handshift.core.errors import HandshiftError, PageError
from handshift.core.file_folder import file_system, is_url
from handshift.page.archive.iiif_source import iiif_images
from handshift.page.archive.origin import REMOTE, note_origin
from handshift.page.archive.packed_files import is_packed, unpacked
from handshift.page.archive.polite_fetch import PoliteFetcher
from handshift.page.scan import SCAN_SUFFIXES
from handshift.page.walk_files import natural_order, scans_below

Expanded = tuple[list[Path], list[PageError]]


def expand_source(path: Path | str) -> Expanded | None:
    """Expand a source of an archive into files; None for a path that is an ordinary file or folder.

    Args:
        path: A manifest or collection (``.json``), a METS file (``.xml``), a zip or tar file, an address of a
            manifest or image (``https://``), or of a file or folder that fsspec opens (``s3://``).
    """
    try:
        if is_url(path):
            return _remote(str(path))
        local = Path(path)
        if not local.is_file():
            return None
        if is_packed(local):
            folder = unpacked(local, SCAN_SUFFIXES)
            note_origin(folder, local)
            return scans_below(folder, SCAN_SUFFIXES)
        if local.suffix.lower() == ".json":
            return _sorted_out(iiif_images(local))
        if local.suffix.lower() == ".xml":
            from handshift.page.archive.mets import mets_images

            return _sorted_out(mets_images(local))
    except PageError as error:
        return [], [error]
    except HandshiftError as error:
        return [], [PageError(str(path), str(error).removeprefix(f"{path}: "))]
    return None


def _sorted_out(found: Iterable[Path | PageError]) -> Expanded:
    outcomes = list(found)
    errors = [one for one in outcomes if isinstance(one, PageError)]
    return [one for one in outcomes if not isinstance(one, PageError)], errors


def _remote(url: str) -> Expanded:
    if url.startswith(("http://", "https://")):
        if Path(urlsplit(url).path).suffix.lower() in SCAN_SUFFIXES:
            name = hashlib.sha256(url.encode()).hexdigest()[:16] + Path(urlsplit(url).path).suffix.lower()
            return [PoliteFetcher().fetch(url, cache_folder("fetched") / name)], []
        return _sorted_out(iiif_images(url))
    return _from_file_system(url)


def _from_file_system(url: str) -> Expanded:
    """Copies of the scans at a URL of fsspec: one file, or everything below a folder."""
    system, root = file_system(url)
    folder = cache_folder(REMOTE) / hashlib.sha256(url.encode()).hexdigest()[:16]
    try:
        names = [root] if system.isfile(root) else [str(name) for name in system.find(root)]
        scans = [name for name in names if Path(name).suffix.lower() in SCAN_SUFFIXES]
        copies = []
        for name in scans:
            info = system.info(name)
            below = name.removeprefix(root).lstrip("/") or Path(name).name
            copy = folder.joinpath(*[part for part in below.split("/") if part not in ("", ".", "..")])
            if not (copy.is_file() and copy.stat().st_size == info.get("size")):
                copy.parent.mkdir(parents=True, exist_ok=True)
                part = copy.with_name(f"{copy.name}.part")
                system.get_file(name, str(part))
                part.replace(copy)
            copies.append(copy)
    except (OSError, ValueError) as error:
        raise PageError(url, f"cannot be read ({error})") from error
    if not copies:
        raise PageError(url, "no scans there")
    note_origin(folder, url.rpartition("/")[0] if system.isfile(root) else url)
    return sorted(copies, key=natural_order), []
