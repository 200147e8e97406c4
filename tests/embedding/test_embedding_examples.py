"""The examples in the docstrings of the parts that researchers use alone run as printed."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

MODULES = [
    "prototypes",
    "train.backbones",
    "train.heads",
    "train.margins",
    "train.pair_losses",
    "train.sampling",
]


@pytest.mark.parametrize("name", MODULES)
def test_a_documented_example_runs_as_printed(name):
    result = doctest.testmod(import_module(f"handshift.embedding.{name}"))
    assert result.attempted and not result.failed


@pytest.mark.parametrize("name", MODULES[1:-1])
def test_every_name_in_all_can_be_imported_from_the_package(name):
    package = import_module(f"handshift.embedding.{name}")
    assert all(hasattr(package, public) for public in package.__all__)
