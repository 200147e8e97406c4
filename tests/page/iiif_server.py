"""A static IIIF server on loopback: manifests of both versions written here, images drawn here.

``docs/mirador_picture.py`` serves its pages with it too.
"""

from __future__ import annotations

import json
import mimetypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class Server:
    """Serves the files of a folder; can refuse or break off answers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.requests: list[tuple[str, str | None]] = []
        """Path and Range of each request."""
        self.busy: dict[str, int] = {}
        """How many times a path is answered with 503."""
        self.breaks: dict[str, list[int]] = {}
        """At which bytes the first answers of a path break off."""
        self.tags: dict[str, str] = {}
        """ETag of a path."""
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.answer(self)

            def log_message(self, *args: Any) -> None:
                return

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        path, wanted = handler.path, handler.headers.get("Range")
        self.requests.append((path, wanted))
        if self.busy.get(path, 0) > 0:
            self.busy[path] -= 1
            handler.send_response(503)
            handler.send_header("Retry-After", "7")
            handler.end_headers()
            return
        file = self.folder / path.partition("?")[0].strip("/")
        if not file.is_file():
            handler.send_error(404)
            return
        content = file.read_bytes()
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        tag = self.tags.get(path)
        if handler.headers.get("If-Range", tag) != tag:  # another version than the one that was begun
            start = 0
        handler.send_response(206 if start else 200)
        if start:
            handler.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        if tag:
            handler.send_header("ETag", tag)
        handler.send_header("Content-Type", mimetypes.guess_type(file.name)[0] or "application/octet-stream")
        handler.send_header("Access-Control-Allow-Origin", "*")  # IIIF is read by scripts of any origin
        handler.send_header("Content-Length", str(len(content) - start))
        handler.end_headers()
        breaks = self.breaks.get(path)
        end = breaks.pop(0) if breaks else len(content)
        handler.wfile.write(content[start:end])


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    server = Server(folder)
    thread = threading.Thread(target=server.http.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.http.shutdown()
        server.http.server_close()
        thread.join()


def manifest_3(
    base: str,
    names: list[str],
    size: tuple[int, int] | list[tuple[int, int]],
    service: bool = False,
    label: str = "Letters",
) -> dict[str, Any]:
    """A manifest of Presentation 3; canvases of one size, or each of its own."""
    items = []
    sizes = size if isinstance(size, list) else [size] * len(names)
    for number, (name, (width, height)) in enumerate(zip(names, sizes, strict=True), 1):
        canvas = f"{base}/canvas/{number}"
        shape = {"width": width, "height": height}
        picture = mimetypes.guess_type(name)[0]
        body: dict[str, Any] = {"id": f"{base}/images/{name}", "type": "Image", "format": picture, **shape}
        if service:
            body["service"] = [{"id": f"{base}/iiif/{name}", "type": "ImageService3", "profile": "level2"}]
        painting = {"id": f"{canvas}/a", "type": "Annotation", "motivation": "painting", "body": body}
        page = {"id": f"{canvas}/p", "type": "AnnotationPage", "items": [{**painting, "target": canvas}]}
        items.append(
            {
                "id": canvas,
                "type": "Canvas",
                "label": {"en": [f"f. {number}"]},
                **shape,
                "items": [page],
            }
        )
    about = {"@context": "http://iiif.io/api/presentation/3/context.json", "type": "Manifest"}
    return {**about, "id": f"{base}/manifest.json", "label": {"en": [label]}, "items": items}


def manifest_2(base: str, names: list[str], size: tuple[int, int]) -> dict[str, Any]:
    canvases = []
    for number, name in enumerate(names, 1):
        canvas = f"{base}/canvas2/{number}"
        resource = {"@id": f"{base}/images/{name}", "@type": "dctypes:Image", "format": "image/png"}
        image = {"@type": "oa:Annotation", "motivation": "sc:painting", "resource": resource, "on": canvas}
        canvases.append(
            {
                "@id": canvas,
                "@type": "sc:Canvas",
                "label": f"f. {number}",
                "width": size[0],
                "height": size[1],
                "images": [image],
            }
        )
    sequence = {"@type": "sc:Sequence", "canvases": canvases}
    about = {"@context": "http://iiif.io/api/presentation/2/context.json", "@type": "sc:Manifest"}
    return {**about, "@id": f"{base}/manifest2.json", "label": "Letters", "sequences": [sequence]}


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path
