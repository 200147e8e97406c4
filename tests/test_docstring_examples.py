"""The examples in package docstrings run as they are printed."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize(
    "name",
    [
        "handshift.bag",
        "handshift.detect",
        "handshift.detect.mil",
        "handshift.calibration",
        "handshift.metrics",
    ],
)
def test_the_example_of_a_package_gives_what_it_prints(name: str) -> None:
    found = doctest.testmod(import_module(name))
    assert found.attempted > 0 and found.failed == 0
