"""The registered study tasks with the fields of their configurations, from the code."""

from __future__ import annotations

import json
import types
from collections.abc import Iterator
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

from handshift.study.task import TASKS, find_task
from measured.markdown import row


def tasks_text() -> str:
    """One section per task: what it does, its metrics, and a table of its fields."""
    return "\n\n".join(_task_text(name) for name in TASKS)


def _task_text(name: str) -> str:
    task = find_task(name)
    lines = [row("field", ["type", "default", ""]), "|---|---|---|---|"]
    lines += [row(f"`{key}`", cells) for key, cells in _fields(task.config)]
    metrics = ", ".join(f"`{metric}`" for metric in task.metrics)
    about = (task.run.__doc__ or "").split("\n")[0]
    return "\n".join([f"## {name}", "", about, "", f"Metrics: {metrics}.", "", *lines])


def _fields(config: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, list[str]]]:
    """Dotted key, type, default and description of every field; nested configurations are entered."""
    for name, field in config.model_fields.items():
        nested = field.annotation
        if isinstance(nested, type) and issubclass(nested, BaseModel):
            yield from _fields(nested, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", [f"`{_type(nested)}`", _default(field), _description(field)]


def _type(annotation: Any) -> str:
    """A type as a reader of a study file needs it: ``int``, ``path``, ``a or b``, ``list of int``."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return " or ".join(map(str, inner))
    if origin in (Union, types.UnionType):
        return " or ".join(_type(one) for one in inner)
    if origin in (list, tuple, set, frozenset):
        kinds = dict.fromkeys(_type(one) for one in inner if one is not Ellipsis)
        return f"list of {' or '.join(kinds)}"
    if origin is dict:
        return "mapping"
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return " or ".join(str(member.value) for member in annotation)
    if annotation is type(None) or annotation is None:
        return "null"
    names = {"str": "text", "Path": "path", "Any": "any"}
    name = getattr(annotation, "__name__", str(annotation))
    return names.get(name, name)


def _default(field: FieldInfo) -> str:
    """The default as YAML takes it."""
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    return f"`{json.dumps(to_jsonable_python(value), ensure_ascii=False)}`"


def _description(field: FieldInfo) -> str:
    return (field.description or "").replace("|", "\\|").replace("\n", " ")
