"""A study file: what varies, over which seeds, measured how, against which baseline."""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from pathlib import Path
from typing import Any, Self, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from handshift.core.errors import StudyError
from handshift.core.loaders import LoadError, read_text, read_yaml

Overrides = dict[str, Any]
Model = TypeVar("Model", bound=BaseModel)


class StudySpec(BaseModel):
    """The content of ``studies/*.yaml``. Variants may use dotted keys: ``training.max_lr``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    title: str = ""
    task: str
    base: dict[str, Any] = {}
    grid: dict[str, list[Any]] | None = None
    variants: dict[str, Overrides] | None = None
    seeds: list[int] = Field(min_length=1)
    metrics: list[str] = Field(min_length=1)
    baseline: str
    bootstrap: int = Field(default=1000, ge=0, description="draws over writers or images; 0 for none")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for field in ("seeds", "metrics"):
            twice = sorted({str(v) for v in getattr(self, field) if getattr(self, field).count(v) > 1})
            if twice:
                raise ValueError(f"{field}: {', '.join(twice)} is given twice")
        if (self.grid is None) == (self.variants is None):
            raise ValueError("give exactly one of `grid` and `variants`")
        if not self.grid and not self.variants:
            raise ValueError(
                f"{'grid' if self.variants is None else 'variants'}: is empty, nothing would vary"
            )
        for key, values in (self.grid or {}).items():
            if not values:
                raise ValueError(f"grid: {key} has no values")
            if len({str(value) for value in values}) < len(values):
                raise ValueError(f"grid: {key} has a value twice")
        names = list(self.expanded())
        if self.baseline not in names:
            raise ValueError(f"baseline: {self.baseline!r} is not a variant; these are {', '.join(names)}")
        return self

    def expanded(self) -> dict[str, Overrides]:
        """Return all variants by name; those of a grid are named ``key=value`` by the keys' last parts."""
        if self.variants is not None:
            return self.variants
        keys = list(self.grid or {})
        combinations = itertools.product(*(self.grid or {}).values())
        overrides = (dict(zip(keys, values, strict=True)) for values in combinations)
        return {_name(entry): entry for entry in overrides}

    def config_of(self, variant: str) -> dict[str, Any]:
        """Return ``base`` with the variant's overrides."""
        config: dict[str, Any] = _copied(self.base)
        for dotted, value in self.expanded()[variant].items():
            *path, last = dotted.split(".")
            place = config
            for part in path:
                place = place.setdefault(part, {})
            place[last] = value
        return config


def load_spec(path: Path) -> StudySpec:
    """Read and check a study file.

    Raises:
        StudyError: The file cannot be read or a field is wrong; the message names file and field.
    """
    try:
        content = read_yaml(path, "YAML", _StrictLoader)
    except LoadError as error:
        raise StudyError(str(error)) from error
    try:
        return StudySpec.model_validate(content)
    except ValidationError as error:
        raise StudyError(f"{path}: {complaints(error)}") from error


def load_validated(path: Path, kind: type[Model]) -> Model | None:
    """Read a JSON file as a pydantic model; None where there is no such file.

    Raises:
        StudyError: The file does not fit the model.
    """
    if not path.exists():
        return None
    try:
        return kind.model_validate_json(read_text(path))
    except LoadError as error:
        raise StudyError(str(error)) from error
    except ValidationError as error:
        raise StudyError(f"{path}: {complaints(error)}") from error


def complaints(error: ValidationError) -> str:
    """Format a validation error as one clause per field."""
    clauses = []
    for item in error.errors():
        where = ".".join(str(part) for part in item["loc"])
        unknown = item["type"] == "extra_forbidden"
        words = "unknown field" if unknown else str(item["msg"]).removeprefix("Value error, ")
        clauses.append(f"{where}: {words}" if where else words)
    return "; ".join(clauses)


class _StrictLoader(yaml.SafeLoader):
    """YAML that refuses a key given twice, of which PyYAML silently keeps the second."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.YAMLError(f"the key {key!r} is given twice ({node.start_mark})")
        return super().construct_mapping(node, deep)


def _name(overrides: Overrides) -> str:
    return ",".join(f"{key.rsplit('.', 1)[-1]}={value}" for key, value in overrides.items())


def _copied(value: Any) -> Any:
    return {key: _copied(item) for key, item in value.items()} if isinstance(value, dict) else value
