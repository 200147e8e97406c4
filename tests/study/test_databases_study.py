"""A study may leave databases out, and whole families of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from handshift.core.errors import StudyError
from handshift.study.spec import StudySpec
from handshift.study.task import checked_configs, find_task
from handshift.study.tasks.embed_databases import trained_on

STUDIES = Path(__file__).parents[2] / "studies"
WEIGHTS = {"csafe": 4.0, "iam": 4.0, "iam-strokes": 3.0, "khatt": 3.0, "ahawp": 1.0, "dhsd": 0.0}


def test_a_family_is_left_out_with_all_its_databases() -> None:
    assert set(trained_on(WEIGHTS, ("iam",))) == {"csafe", "khatt", "ahawp", "dhsd"}
    assert set(trained_on(WEIGHTS, ("arabic",))) == {"csafe", "iam", "iam-strokes", "dhsd"}


def test_a_single_database_of_a_family_can_be_left_out() -> None:
    assert "iam" in trained_on(WEIGHTS, ("iam-strokes",))
    assert "iam-strokes" not in trained_on(WEIGHTS, ("iam-strokes",))


def test_what_is_not_there_cannot_be_left_out() -> None:
    with pytest.raises(StudyError, match="'cvl' is neither a database of the recipe nor a family"):
        trained_on(WEIGHTS, ("cvl",))


def test_the_study_of_families_is_well_formed() -> None:
    import yaml

    spec = StudySpec.model_validate(yaml.safe_load((STUDIES / "embed-families.yaml").read_text("utf-8")))
    configs = checked_configs(spec, find_task(spec.task))
    for config in configs.values():
        trained_on(config.recipe["databases"], config.without)  # type: ignore[attr-defined]
    assert "without iam" in configs
