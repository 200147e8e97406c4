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


def claim(folder: Path, identity: Mapping[str, Any]) -> None:
    """Write ``identity`` into a new folder, or check that the folder already holds the same one.

    Args:
        folder: The training's folder.
        identity: All settings that the result depends on, as JSON values.

    Raises:
        OtherConfigError: The folder holds another identity; the message names the differences.
    """
    path = folder / FILE
    wanted = json.loads(json.dumps(identity))  # tuples become lists, as in the file
    if not path.exists():
        write_text(path, json.dumps(wanted, indent=1))
        return
    found = read_json_object(path, "the record of a training")
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
