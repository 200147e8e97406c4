"""Words and their hands as a W3C annotation page, which IIIF viewers such as Mirador show."""

from __future__ import annotations

from typing import Any

from handshift.page.hand_labels import HandsOnPage
from handshift.page.word_kind import WordKind

CONTEXT = "http://iiif.io/api/presentation/3/context.json"


def annotation_page(handed: HandsOnPage, canvas: str, name: str) -> dict[str, Any]:
    """One annotation a word: its box as a media fragment, its hand as a tag, the probability in the body.

    Args:
        handed: A page and the hand of every word.
        canvas: Id of the IIIF canvas, or of the image, that the boxes lie on.
        name: Id of the annotation page; the annotations' ids begin with it.

    Returns:
        A JSON object of type ``AnnotationPage``.
    """
    items = []
    for line, words in handed.lines():
        for word in words:
            x, y, width, height = (int(side) for side in handed.page.on_scan(word.word.box))
            place = f"line {line}, word {word.number}"
            tag, text = f"hand {word.hand}", f"hand {word.hand}, probability {word.certainty:.2f}, {place}"
            if word.word.kind is not WordKind.WRITING:
                tag, text = word.word.kind.value, f"{word.word.kind.value}, {place}"
            items.append(
                {
                    "id": f"{name}/{word.number}",
                    "type": "Annotation",
                    "motivation": "tagging",
                    "body": [
                        {"type": "TextualBody", "purpose": "tagging", "value": tag},
                        {
                            "type": "TextualBody",
                            "purpose": "describing",
                            "format": "text/plain",
                            "value": text,
                        },
                    ],
                    "target": f"{canvas}#xywh={x},{y},{width},{height}",
                }
            )
    return {"@context": CONTEXT, "id": name, "type": "AnnotationPage", "items": items}
