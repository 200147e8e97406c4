"""Records in a file instead of memory: those of thousands of pages are read one at a time."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Mapping, Sequence
from tempfile import SpooledTemporaryFile
from typing import IO, Any, TypeVar, cast, overload
from weakref import finalize

from handshift.core.atomic import WriteError

T = TypeVar("T")
U = TypeVar("U")
_IN_MEMORY = 1 << 20


class StoredRecords(Sequence[T]):
    """JSON values in a file, one a line, parsed each time they are asked for.

    Args:
        file: Open for reading, and left open.
        offsets: Where the lines begin.
        read: Makes a record of a line's value.
    """

    def __init__(self, file: IO[bytes], offsets: Sequence[int], read: Callable[[Any], T]) -> None:
        self._file, self._offsets, self._read = file, offsets, read

    def mapped(self, function: Callable[[T], U]) -> StoredRecords[U]:
        """The same records, each passed through a function when it is asked for."""
        return StoredRecords(self._file, self._offsets, lambda value: function(self._read(value)))

    def __len__(self) -> int:
        return len(self._offsets)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return [self[place] for place in range(len(self))[index]]
        self._file.seek(self._offsets[index])
        return self._read(json.loads(self._file.readline()))


class RecordSpool(StoredRecords[Any]):
    """Records that a run collects for a file about all of them; of each, memory holds the place alone."""

    def __init__(self) -> None:
        self._places = array("Q")
        # In memory up to so many bytes: a run of a few pages needs no folder for temporary files.
        file = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 – closed with the spool
        super().__init__(cast("IO[bytes]", file), self._places, lambda record: record)
        finalize(self, file.close)

    def append(self, record: Mapping[str, Any]) -> None:
        """Add a record.

        Raises:
            WriteError: There is no room for it.
        """
        try:
            place = self._file.seek(0, 2)
            self._file.write(json.dumps(record, ensure_ascii=True).encode("ascii") + b"\n")
        except OSError as error:
            raise WriteError(
                f"the folder for temporary files cannot be written ({error.strerror}). Make room in it."
            ) from error
        self._places.append(place)
