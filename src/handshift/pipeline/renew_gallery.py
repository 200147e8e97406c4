"""A gallery embedded again by another model, from the files it was made of."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from handshift.core.folder_lock import locked
from handshift.embedding.gallery import Entry, Gallery, GalleryError
from handshift.pipeline.comparer import Comparer

_PATIENCE = 30.0
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Renewal:
    """What became of a gallery."""

    gallery: Gallery
    renewed: int
    """Pages embedded again."""
    missing: tuple[str, ...]
    """Files that are gone or have changed, each with the reason; their pages were left out."""


def renew(comparer: Comparer, folder: Path, *, drop_missing: bool = False) -> Renewal:
    """Embed all pages of a gallery again, since vectors of two models cannot be compared.

    Every file must be where it was when it was enrolled and have the same SHA-256.

    Args:
        comparer: The model that shall read the gallery from now on.
        folder: The gallery.
        drop_missing: Leave out pages whose file is gone or has changed. Otherwise nothing is written then.

    Returns:
        The gallery as it was written.

    Raises:
        GalleryError: There is no gallery; files are missing and may not be dropped; or none is left.
        PageError: A file cannot be read any more.
    """
    Gallery.load(folder)  # or the lock would make a folder where there was none
    with locked(folder, _PATIENCE):
        old = Gallery.load(folder)
        missing = tuple(_missing(old))
        if missing and not drop_missing:
            raise GalleryError(
                f"{folder}: {len(missing)} enrolled files are not as they were, and nothing was changed: "
                f"{_listed(missing)}. Put them back, or leave their pages out with --drop-missing"
            )
        made = _embedded_again(comparer, old, {line.partition(":")[0] for line in missing})
        if old.entries and not made.entries:
            raise GalleryError(f"{folder}: none of the enrolled files is left; nothing was changed")
        made.save(folder)
    return Renewal(made, len(made.entries), missing)


def _missing(gallery: Gallery) -> list[str]:
    recorded = {entry.source: entry.sha256 for entry in gallery.entries}
    reasons = {source: _reason(Path(source), digest) for source, digest in sorted(recorded.items())}
    return [f"{source}: {reason}" for source, reason in reasons.items() if reason]


def _reason(path: Path, digest: str) -> str:
    if not path.is_file():
        return "not there"
    return "" if sha256(path.read_bytes()).hexdigest() == digest else "changed since it was enrolled"


def _embedded_again(comparer: Comparer, old: Gallery, gone: set[str]) -> Gallery:
    made = Gallery(comparer.fingerprint, comparer.model.id, old.cut)
    sizes = {(entry.source, entry.page): entry.size for entry in old.entries}
    pages: dict[tuple[str, str], set[int]] = {}
    for entry in old.entries:
        if entry.source not in gone:
            pages.setdefault((entry.name, entry.source), set()).add(entry.page)
    for (name, source), wanted in pages.items():
        embedded = comparer.embed(source, old.cut)
        entries, runs, start = [], [], 0
        for origin in embedded.origins:
            rows, start = embedded.weighed[start : start + origin.words], start + origin.words
            if origin.number + 1 in wanted:
                # A resolution that was stated when the page was enrolled still holds for it.
                size = origin.size if origin.size is not None else sizes[source, origin.number + 1]
                entries.append(Entry(name, source, origin.sha256, origin.number + 1, origin.words, size))
                runs.append(rows)
        for entry, rows in zip(entries, runs, strict=True):
            made = made.with_entries([entry], rows)
    return made


def _listed(missing: tuple[str, ...]) -> str:
    more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
    return "; ".join(missing[:_SHOWN]) + more
