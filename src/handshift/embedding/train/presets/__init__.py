"""Named recipes, one YAML file each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from handshift.core.errors import HandshiftError
from handshift.core.loaders import LoadError, read_yaml
from handshift.embedding.train.recipe import Recipe

_HERE = Path(__file__).parent
PRESETS = tuple(sorted(path.stem for path in _HERE.glob("*.yaml")))


def load_preset(name: str) -> Recipe:
    """Load a recipe.

    Args:
        name: A name in `PRESETS`, or the path of a YAML file with the same fields.

    Returns:
        The recipe.

    Raises:
        HandshiftError: The file cannot be read or a field is wrong.
    """
    path = _HERE / f"{name}.yaml" if name in PRESETS else Path(name)
    try:
        values = read_yaml(path)
    except LoadError as error:
        if path.is_file():
            raise
        raise HandshiftError(
            f"preset {name!r} cannot be read; give {', '.join(PRESETS)} or a YAML file of your own"
        ) from error
    if not isinstance(values, dict):
        raise HandshiftError(f"{path}: expected fields with values, such as `margin: arcface`")
    return Recipe.read(values, str(path.name))


def make_recipe(preset: str | None = None, fields: dict[str, Any] | None = None) -> Recipe:
    """Make a recipe of a preset, or of the defaults, and the fields that differ from it.

    Args:
        preset: As for `load_preset`; the defaults if None.
        fields: Replace those of the preset.

    Raises:
        HandshiftError: The preset cannot be read, or a field is unknown or out of range.
    """
    return (load_preset(preset) if preset else Recipe()).changed(fields or {})
