"""IIIF annotations of a run: one AnnotationPage for each canvas, and a manifest that lists them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from handshift.cli.destination import FileNames, check_folder
from handshift.core.atomic import write_text
from handshift.core.loaders import LoadError, read_json_object
from handshift.page.annotations import CONTEXT, annotation_page
from handshift.page.archive.canvas_list import canvas_of
from handshift.page.archive.iiif_manifest import Canvas
from handshift.page.hand_labels import HandsOnPage
from handshift.page.rescale_hands import rescaled

MANIFEST = "manifest.json"


@dataclass(slots=True)
class AnnotationOutput:
    """Where the words and hands of pages are written as annotations."""

    path: Path
    """A folder."""
    base: str
    """Address at which the folder will be served."""
    _names: FileNames = field(default_factory=FileNames)
    _canvases: list[dict[str, Any]] = field(default_factory=list)
    _label: str = ""

    @property
    def is_file(self) -> bool:
        """Always a folder."""
        return False

    @property
    def setting(self) -> list[str]:
        """What the results of a run depend on."""
        return ["annotations", str(self.path), self.base]

    def check(self) -> None:
        """Refuse a path that cannot be written to."""
        check_folder(self.path)

    def add(self, page: HandsOnPage) -> None:
        """Write the annotations of one page; boxes are in the coordinates of its canvas."""
        name = self._name(page.page.source, page.page.number)
        canvas, label = self._canvas(page)
        fitted = rescaled(page, canvas.width, canvas.height)
        size = {"width": canvas.width, "height": canvas.height}
        part_of = {"id": canvas.id, "type": "Canvas", "label": {"none": [canvas.label]}, **size}
        content = annotation_page(fitted, canvas.id, f"{self.base}/{name}") | {"partOf": [part_of]}
        write_text(self.path / name, json.dumps(content, ensure_ascii=False, indent=1) + "\n")
        self._list(canvas, name, label)

    def skip(self, source: Path, number: int) -> None:
        """Leave a page out whose file an earlier attempt has written; the manifest still lists it."""
        name = self._name(source, number)
        canvas, label = canvas_of(source) or (self._written(name, source), "")
        if canvas is not None:
            self._list(canvas, name, label)

    def close(self) -> None:
        """Write the manifest that lists every canvas with its annotations."""
        if not self._canvases:
            return
        manifest = {
            "@context": CONTEXT,
            "id": f"{self.base}/{MANIFEST}",
            "type": "Manifest",
            "label": {"none": [self._label or "handshift"]},
            "items": self._canvases,
        }
        write_text(self.path / MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1) + "\n")

    def _written(self, name: str, source: Path) -> Canvas | None:
        """The canvas of annotations that were written for an image without a manifest."""
        try:
            (part_of,) = read_json_object(self.path / name)["partOf"]
            size = int(part_of["width"]), int(part_of["height"])
            return Canvas(str(part_of["id"]), source.name, *size, f"{self.base}/{source.name}")
        except (LoadError, KeyError, TypeError, ValueError):  # they were taken away meanwhile
            return None

    def _name(self, source: Path, number: int) -> str:
        return self._names.name(source, number, ".annotations.json")

    def _canvas(self, page: HandsOnPage) -> tuple[Canvas, str]:
        """The canvas of a page's image, with the image's size where the manifest states none."""
        sheet = page.page
        whole = sheet.view.is_whole_scan
        width, height = (sheet.image.shape[1], sheet.image.shape[0]) if whole else sheet.view.scan
        known = canvas_of(sheet.source)
        if known is not None:
            canvas, label = known
            sized = canvas if canvas.width and canvas.height else replace(canvas, width=width, height=height)
            return sized, label
        address = f"{self.base}/{sheet.source.name}"
        name = f"{self.base}/canvas/{sheet.sha256[:16]}-{sheet.number + 1}"
        return Canvas(name, sheet.source.name, width, height, address), ""

    def _list(self, canvas: Canvas, name: str, label: str) -> None:
        size = {"width": canvas.width, "height": canvas.height}
        image: dict[str, Any] = {"id": canvas.image, "type": "Image", **size}
        if canvas.service:
            kind = "ImageService3" if canvas.version == 3 else "ImageService2"
            key = "id" if canvas.version == 3 else "@id"
            typed = "type" if canvas.version == 3 else "@type"
            image["service"] = [{key: canvas.service, typed: kind, "profile": "level1"}]
        painting = {
            "id": f"{canvas.id}/painting",
            "type": "Annotation",
            "motivation": "painting",
            "body": image,
            "target": canvas.id,
        }
        self._label = self._label or label
        self._canvases.append(
            {
                "id": canvas.id,
                "type": "Canvas",
                "label": {"none": [canvas.label]},
                **size,
                "items": [{"id": f"{canvas.id}/page", "type": "AnnotationPage", "items": [painting]}],
                "annotations": [{"id": f"{self.base}/{name}", "type": "AnnotationPage"}],
            }
        )
