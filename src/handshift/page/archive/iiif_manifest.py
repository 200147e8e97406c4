"""IIIF Presentation 2.1 and 3: the canvases of a manifest, and the manifests of a collection."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

LONGEST_SIDE = 3000
"""Pixels asked of an image service; handwriting of a whole sheet is legible at half of it."""


@dataclass(frozen=True, slots=True)
class Canvas:
    """One page of a manifest."""

    id: str
    label: str
    width: int
    height: int
    image: str
    """Address of the whole image."""
    service: str | None = None
    """Address of the image service, where there is one."""
    version: int = 2
    """Of the service's Image API."""

    @property
    def address(self) -> str:
        """Address of the image, no larger than needed where a service can scale it."""
        if self.service is None:
            return self.image
        if max(self.width, self.height) > LONGEST_SIDE:
            return f"{self.service}/full/!{LONGEST_SIDE},{LONGEST_SIDE}/0/default.jpg"
        return f"{self.service}/full/{'max' if self.version == 3 else 'full'}/0/default.jpg"


@dataclass(frozen=True, slots=True)
class Manifest:
    """An object of an archive: its canvases in reading order."""

    id: str
    label: str
    canvases: tuple[Canvas, ...]


def is_iiif(content: Any) -> bool:
    """Whether a JSON value is a manifest or a collection of either version."""
    return isinstance(content, dict) and _kind(content) in ("Manifest", "Collection")


def is_collection(content: dict[str, Any]) -> bool:
    """Whether it lists manifests rather than canvases."""
    return _kind(content) == "Collection"


def read_manifest(content: dict[str, Any]) -> Manifest:
    """Read a manifest of version 2.1 or 3; canvases without an image are left out.

    Raises:
        ValueError: It is no manifest, or has no canvas with an image.
    """
    if _kind(content) != "Manifest":
        raise ValueError("not a IIIF manifest")
    rows = _canvases(content)
    canvases = tuple(canvas for row in rows if (canvas := _canvas(row)) is not None)
    if not canvases:
        raise ValueError("the manifest has no canvas with an image")
    return Manifest(_id(content), _text(content.get("label")), canvases)


def collection_members(content: dict[str, Any]) -> list[dict[str, Any]]:
    """The manifests and collections that a collection lists; each has at least an address."""
    members = [
        one
        for name in ("items", "members", "manifests", "collections")
        for one in _dicts(content.get(name))
        if _id(one)
    ]
    return list({_id(one): one for one in members}.values())


def address_of(member: dict[str, Any]) -> str:
    """Address of a manifest or collection."""
    return _id(member)


def _canvases(content: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "sequences" in content:  # 2.1; further sequences order the same canvases anew
        for sequence in _dicts(content["sequences"])[:1]:
            yield from _dicts(sequence.get("canvases"))
    else:
        yield from (row for row in _dicts(content.get("items")) if _kind(row) == "Canvas")


def _canvas(row: dict[str, Any]) -> Canvas | None:
    image = _first_image(row)
    if image is None:
        return None
    service, version = _service(image)
    width, height = (_pixels(row.get(name) or image.get(name)) for name in ("width", "height"))
    address = _id(image) or (f"{service}/full/max/0/default.jpg" if service else "")
    if not address.startswith(("http://", "https://", "file:")) and "://" in address:
        return None
    return Canvas(_id(row), _text(row.get("label")), width, height, address, service, version)


def _first_image(row: dict[str, Any]) -> dict[str, Any] | None:
    """The body of the first painting annotation; of a choice, its first."""
    if "images" in row:
        bodies = [one.get("resource") for one in _dicts(row["images"])]
    else:
        bodies = [
            annotation.get("body")
            for page in _dicts(row.get("items"))
            for annotation in _dicts(page.get("items"))
        ]
    for body in bodies:
        for one in _dicts(body if isinstance(body, list) else [body]):
            found = next(iter(_dicts([one.get("default")]) or _dicts(one.get("items"))), one)
            if _id(found) or found.get("service"):
                return found
    return None


def _service(image: dict[str, Any]) -> tuple[str | None, int]:
    given = image.get("service")
    for service in _dicts(given if isinstance(given, list) else [given]):
        address = _id(service).rstrip("/")
        kind = f"{service.get('type') or service.get('@type') or ''} {service.get('@context') or ''}"
        if address.startswith(("http://", "https://")) and ("image" in kind.lower() or "profile" in service):
            return address, 3 if "3" in kind else 2
    return None, 2


def _dicts(rows: Any) -> list[dict[str, Any]]:
    return [row for row in rows or [] if isinstance(row, dict)] if isinstance(rows, list) else []


def _pixels(value: Any) -> int:
    """A side of a canvas; 0 where it is none: it only decides how large an image is asked for."""
    try:
        side = float(value or 0)
    except (TypeError, ValueError, OverflowError):
        return 0
    return int(side) if 0 < side < 1e9 else 0


def _id(row: dict[str, Any]) -> str:
    return str(row.get("id") or row.get("@id") or "")


def _kind(row: dict[str, Any]) -> str:
    return str(row.get("type") or row.get("@type") or "").removeprefix("sc:")


def _text(label: Any) -> str:
    """A label of either version, in its first language."""
    while isinstance(label, dict | list) and label:
        first = label[0] if isinstance(label, list) else next(iter(label.values()))
        label = label.get("@value") or first if isinstance(label, dict) else first
    return str(label or "")
