"""The root of an XML document with its schema, and how a document is written."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, indent, tostring

from handshift.core.atomic import write_bytes


def schema_root(name: str, namespace: str, schema: str) -> Element:
    """An element in a namespace that names the address of its schema."""
    return Element(
        name,
        {
            "xmlns": namespace,
            "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
            "xsi:schemaLocation": f"{namespace} {schema}",
        },
    )


def write_xml(root: Element, path: Path | str) -> None:
    """Write a document, indented, atomically.

    Raises:
        WriteError: The file cannot be written.
    """
    indent(root)
    write_bytes(path, tostring(root, encoding="utf-8", xml_declaration=True) + b"\n")
