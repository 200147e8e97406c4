"""XML from untrusted sources: parsed without entities, addressed by local names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from handshift.core.errors import PageError

MAX_XML_BYTES = 64 << 20
FAR_OFF = 1e9  # larger than any page; such values could only overflow
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def parse_xml(path: Path) -> Element:
    """Parse a file.

    Args:
        path: The file, at most 64 MiB.

    Returns:
        The root element.

    Raises:
        PageError: The file is missing, too large, not well-formed, or declares entities.
    """
    try:
        if path.stat().st_size > MAX_XML_BYTES:
            raise PageError(path, f"more than {MAX_XML_BYTES >> 20} MiB of XML is not a page; split the file")
        root: Element = fromstring(path.read_bytes())
    except OSError as error:
        raise PageError(path, f"the XML cannot be read ({error.strerror})") from error
    except DefusedXmlException as error:
        raise PageError(path, "the XML declares entities and may be an attack; remove them") from error
    except (ParseError, ValueError, LookupError) as error:  # the last two for unknown encodings
        raise PageError(path, f"not well-formed XML ({error}); export it again") from error
    return root


def local_name(element: Element) -> str:
    """``TextLine`` for ``{http://…/2013-07-15}TextLine``: the versions differ in namespace alone."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def children(element: Element, *names: str) -> Iterator[Element]:
    """Yield the direct children of these local names, in document order."""
    return (child for child in element if local_name(child) in names)


def descendants(element: Element, name: str) -> Iterator[Element]:
    """Yield everything below of this local name, in document order."""
    return (child for child in element.iter() if local_name(child) == name)


def numbers(text: str) -> list[float]:
    """Extract the numbers from a list of points with any punctuation."""
    found = map(float, re.findall(r"[-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?", text))
    return [number for number in found if abs(number) < FAR_OFF]


def side_length(text: str | None) -> float | None:
    """Width or height of a page; None where it is missing, zero or not a number."""
    return next((length for length in numbers(text or "") if length >= 1), None)


def printable(text: str) -> str:
    """Replace what XML may not hold: control characters, and lone surrogates of undecodable file names."""
    return _UNPRINTABLE.sub("�", text)
