"""Records that travel as JSON: read within limits, then checked field by field by pydantic."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from handshift.core.loaders import LARGEST_JSON, LoadError, read_json

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

Record = TypeVar("Record")
_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}


def read_record(path: Path | str, kind: type[Record], what: str, limit: int = LARGEST_JSON) -> Record:
    """Read a JSON file and check that it holds a record of one kind.

    Args:
        path: The file.
        kind: A dataclass, typed dictionary or pydantic model.
        what: What the file should be, for the error message: "a gallery".
        limit: Largest length in bytes.

    Returns:
        The record.

    Raises:
        LoadError: The file is missing, too large, not JSON, or a field is missing or of another kind.
    """
    return checked(read_json(path, what, limit), kind, path, what)


def checked(content: Any, kind: type[Record], path: Path | str, what: str) -> Record:
    """Check values that were read from ``path``; arguments and errors as for `read_record`."""
    from pydantic import ValidationError  # a third of a second, which `examine` does not need

    try:
        return cast(Record, adapter(kind).validate_python(content))
    except ValidationError as error:
        raise LoadError(path, f"not {what} ({first_problem(error)})") from error


def adapter(kind: Any) -> TypeAdapter[Any]:
    """The pydantic validator of a record, built once."""
    from pydantic import TypeAdapter

    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


def first_problem(error: ValidationError) -> str:
    """Where the first of a record's problems is and what it is, in one short line."""
    found = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in found["loc"] if isinstance(part, int) or part.isidentifier())
    more = f", and {error.error_count() - 1} more" if error.error_count() > 1 else ""
    return f"{where[:80]}: {found['msg'][:160]}{more}" if where else f"{found['msg'][:160]}{more}"
