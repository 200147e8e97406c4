"""Ties a training's folder to one configuration."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from handshift.core.atomic import write_text
from handshift.core.errors import HandshiftError
from handshift.core.loaders import read_json_object

FILE = "training.json"


class OtherConfigError(HandshiftError):
    """The folder holds a training with a different configuration."""


def claim(folder: Path, identity: Mapping[str, Any], defaults: Mapping[str, Any] | None = None) -> None:
    """Write ``identity`` into a new folder, or check that the folder already holds the same one.

    A field that the folder does not name was added after the training began. It is ignored at its default,
    which is what the training was run with, so that old runs can be resumed by newer code.

    Args:
        folder: The training's folder.
        identity: All settings that the result depends on, as JSON values.
        defaults: Default values of fields, by name.

    Raises:
        OtherConfigError: The folder holds another identity; the message names the differences.
    """
    path = folder / FILE
    wanted = json.loads(json.dumps(identity))  # tuples become lists, as in the file
    assumed = json.loads(json.dumps(dict(defaults or {})))
    if not path.exists():
        write_text(path, json.dumps(wanted, indent=1))
        return
    recorded = read_json_object(path, "the record of a training")
    found = {name: value for name, value in assumed.items() if name in wanted} | recorded
    differences = list(_differences(found, wanted))
    if differences:
        raise OtherConfigError(
            f"{folder} holds a training with another configuration ({'; '.join(differences)}). "
            "Give another folder, or remove this one."
        )


def _differences(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    names = [*found, *(name for name in wanted if name not in found)]
    absent = "not set"
    return [
        f"{name}: there {found.get(name, absent)}, here {wanted.get(name, absent)}"
        for name in names
        if found.get(name, absent) != wanted.get(name, absent)
    ]
