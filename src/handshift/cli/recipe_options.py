"""The fields of an embedding's recipe as options of a command; the recipe names, explains and groups them.

Options that every command has which trains an embedding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import typer

from handshift.core.errors import HandshiftError
from handshift.embedding.train.presets import PRESETS
from handshift.embedding.train.recipe import Recipe

SPELLED = {"rate": "--learning-rate", "options": "--loss-options"}
"""Options with a longer name than the recipe's field, where the same word means something else elsewhere."""


def with_recipe_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add an option for each field; those given on the command line reach `function` as `given`."""
    own = signature(function, eval_str=True)

    def command(**arguments: Any) -> None:
        given = {
            name: _value(name, arguments.pop(name)) for name in list(arguments) if name in Recipe.model_fields
        }
        given = {name: value for name, value in given.items() if value is not None}
        function(**arguments, given=given)

    parameters = [parameter for name, parameter in own.parameters.items() if name != "given"]
    parameters += [_parameter(name) for name in Recipe.model_fields]
    command.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    command.__doc__, command.__name__ = function.__doc__, function.__name__
    return command


def _parameter(name: str) -> Parameter:
    field = Recipe.model_fields[name]
    extra = field.json_schema_extra
    assert isinstance(extra, Mapping)
    default = field.get_default(call_default_factory=True)
    suffix = "" if default in (None, (), {}, False) else f" ({default})"
    names = [SPELLED[name]] if name in SPELLED else []
    option = typer.Option(*names, help=f"{field.description}{suffix}.", rich_help_panel=str(extra["panel"]))
    kind: Any = _type(field.annotation)
    return Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, option])


def _type(annotation: Any) -> Any:
    """What the command line reads the field as; the recipe itself checks the value."""
    plain = next(
        (part for part in (annotation, *get_args(annotation)) if part in (int, float, bool)),
        None,
    )
    if get_origin(annotation) is dict:
        return list[str] | None
    if get_origin(annotation) is Literal and isinstance(get_args(annotation)[0], int):
        return int | None
    return None | (plain if plain and get_origin(annotation) is not tuple else str)


def _value(name: str, value: Any) -> Any:
    """Lists are written with commas, further options as `name=value`."""
    kind = str(Recipe.model_fields[name].annotation)
    if value is None or (kind.startswith("dict") and not value):
        return None
    if kind.startswith("dict"):
        return dict(_pair(text) for text in value)
    return [part.strip() for part in value.split(",")] if kind.startswith("tuple") else value


def _pair(text: str) -> tuple[str, int | float | str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise HandshiftError(f"--loss-options {text}: write name=value, such as margin.m1=0.9")
    if "=" in value:
        raise HandshiftError(
            f"--loss-options {text}: give one --loss-options for each, such as --loss-options margin.m1=0.9 "
            "--loss-options margin.m2=0.4"
        )
    for number in (int, float):
        try:
            return name, number(value)
        except ValueError:
            pass
    return name, value


RUN = "This run"
CORPUS = "Corpus folder or manifest; `<identity>/*.png` will do."

Split = Annotated[
    Path | None, typer.Option(help="Writer split; one is made and kept in OUT/split.json if none.")
]
Contents = Annotated[
    str | None,
    typer.Option(
        help="What a file holds: page (of words), word, picture (anything else). Default: word where "
        "naver_ocr.csv lists words, else page."
    ),
]
Preset = Annotated[
    str | None, typer.Option(help=f"{', '.join(PRESETS)} or a YAML file; options given beside it count more.")
]
Accelerator = Annotated[str, typer.Option(rich_help_panel=RUN, help="cpu, cuda, mps.")]
Threads = Annotated[int, typer.Option(min=1, rich_help_panel=RUN, help="Threads of the processor.")]
