"""A word becomes a vector."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    """Importing anything from this room puts the room in the place of the function `handshift.embed`.

    So the room answers calls as the function does.
    """

    def __call__(self, *paths: Any, **options: Any) -> Any:
        from handshift.embedding import embed

        return embed(*paths, **options)


sys.modules[__name__].__class__ = _Callable
