"""What `examine --json` writes is checked by pydantic, and a JSON Schema in the documentation has it."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest

from handshift.core.errors import HandshiftError, PageError
from handshift.core.model_card import ModelCard
from handshift.demo import ONE_HAND
from handshift.models.shipped_models import shipped_models
from handshift.pipeline.examiner import Examiner
from handshift.report.findings_record import failure_record, page_record, run_json
from handshift.report.findings_schema import findings_json_schema
from handshift.report.load_findings import load_findings

SCHEMA = Path(__file__).parents[2] / "docs" / "findings.schema.json"


@pytest.fixture(scope="module")
def findings() -> str:
    verdict = next(Examiner().examine(ONE_HAND))
    return run_json("words-3", [page_record(verdict), failure_record(PageError("torn.png", "is empty"))])


def test_the_documented_schema_is_that_of_the_code():
    documented = json.loads(SCHEMA.read_text("utf-8"))
    assert documented == findings_json_schema(), "run python docs/findings_schema.py"


def test_findings_follow_the_documented_schema(findings):
    jsonschema_rs.validator_for(json.loads(SCHEMA.read_text("utf-8"))).validate(json.loads(findings))


def test_findings_read_back_as_they_were(findings, tmp_path):
    (tmp_path / "f.json").write_text(findings, "utf-8")
    assert load_findings(tmp_path / "f.json") == json.loads(findings)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("status", "fine"),
        ("page", 0),
        ("page", "1"),
        ("log10_lr", "2"),
        ("log10_lr", float("nan")),
        ("log10_lr_bounds", [1.0]),
        ("hands", -1),
        ("words", [{"box": [1, 2, 3], "line": 0, "hand": "A", "posterior": 0.1, "certainty": 1.0}]),
        ("words", [{"box": [1, 2, 3, 4], "line": 0, "hand": "A", "posterior": 1.1, "certainty": 1.0}]),
        ("compared", None),
    ],
)
def test_a_field_of_another_kind_is_refused_by_name(findings, tmp_path, field, value):
    content = json.loads(findings)
    content["pages"][0][field] = value
    (tmp_path / "f.json").write_text(json.dumps(content), "utf-8")
    with pytest.raises(HandshiftError, match=rf"f\.json: not findings.*pages\.0\.{field}"):
        load_findings(tmp_path / "f.json")


def test_findings_without_a_schema_are_those_of_earlier_versions(findings, tmp_path):
    content = json.loads(findings)
    del content["schema"], content["complete"], content["pages"][0]["status"], content["pages"][1]["status"]
    (tmp_path / "f.json").write_text(json.dumps(content), "utf-8")
    read = load_findings(tmp_path / "f.json")
    assert [page["status"] for page in read["pages"]] == ["examined", "failed"] and read["complete"]


def test_findings_of_a_later_version_name_it(findings, tmp_path):
    (tmp_path / "f.json").write_text(json.dumps(json.loads(findings) | {"schema": 3}), "utf-8")
    with pytest.raises(HandshiftError, match="a later handshift"):
        load_findings(tmp_path / "f.json")


def test_the_cards_of_shipped_models_pass_the_check_that_they_are_spared():
    for model in shipped_models():
        assert ModelCard.load(model.folder / "card.json") == model.card


@pytest.mark.parametrize("change", [{"limits": 3}, {"colour": "red"}, {"figures": []}])
def test_a_card_with_a_wrong_field_is_refused(tmp_path, change):
    card = json.loads((shipped_models()[0].folder / "card.json").read_text("utf-8")) | change
    (tmp_path / "card.json").write_text(json.dumps(card), "utf-8")
    with pytest.raises(HandshiftError, match=f"not a model card .{next(iter(change))}"):
        ModelCard.load(tmp_path / "card.json")
