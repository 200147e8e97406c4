from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import pytest
from fastapi.testclient import TestClient

import handshift
from handshift.core.errors import HandshiftError

Finished = Callable[[int], dict[str, Any]]


def _page(client: TestClient, page_id: int) -> dict[str, Any]:
    page: dict[str, Any] = client.get(f"/api/pages/{page_id}").json()
    return page


@pytest.fixture
def own_page(client: TestClient, empty_case: int, demo_page: Path, finished: Finished) -> int:
    """A page that a test may correct."""
    client.post(f"/api/cases/{empty_case}/exhibits", files={"files": ("letter.png", demo_page.read_bytes())})
    page_id: int = finished(empty_case)["exhibits"][0]["pages"][0]["id"]
    return page_id


def test_the_page_says_what_examine_says(
    client: TestClient, demo_case: dict[str, Any], demo_page: Path
) -> None:
    verdict = handshift.examine(demo_page)
    shown = _page(client, demo_case["exhibits"][0]["pages"][0]["id"])["record"]
    assert shown["log10_lr"] == pytest.approx(verdict.log10_lr, abs=1e-6)
    assert [word["hand"] for word in shown["words"]] == [finding.hand for finding in verdict.words]
    assert [tuple(word["box"]) for word in shown["words"]] == [tuple(word.box) for word in verdict.page.words]


def test_the_operating_point_shows_the_validation_of_its_length(
    client: TestClient, demo_case: dict[str, Any]
) -> None:
    from handshift.models.shipped_models import find_model

    known = find_model().operating_points()
    page = _page(client, demo_case["exhibits"][0]["pages"][0]["id"])
    if known is None:
        assert page["operating"] is None
    else:
        assert page["operating"]["data"] == known.data
        assert page["operating"]["name"] == known.for_words(page["words"]).name


def test_a_merge_is_scored_again_and_undone_exactly(client: TestClient, own_page: int) -> None:
    before = _page(client, own_page)
    words = before["record"]["words"]
    change = {"op": "merge", "boxes": [words[0]["box"], words[1]["box"]]}
    merged = client.post(f"/api/pages/{own_page}/corrections", json=change).json()
    assert merged["words"] == before["words"] - 1 and merged["corrected"]
    assert merged["log10_lr"] != before["log10_lr"]
    assert merged["computed"]["log10_lr"] == before["log10_lr"]  # both stay to be seen
    undone = client.post(f"/api/pages/{own_page}/undo").json()
    assert undone["record"] == before["record"] and not undone["corrected"]
    assert undone["corrections"][0]["undone"] is not None


def test_words_are_split_drawn_deleted_and_marked_as_print(client: TestClient, own_page: int) -> None:
    words = _page(client, own_page)["record"]["words"]
    x, _, width, _ = widest = max((word["box"] for word in words), key=lambda box: box[2])
    written = sum(word["kind"] == "writing" for word in words)
    path = f"/api/pages/{own_page}/corrections"
    split = client.post(path, json={"op": "split", "box": widest, "x": x + width // 2}).json()
    assert split["words"] == written + 1
    gone = client.post(path, json={"op": "delete", "box": words[3]["box"]}).json()
    assert gone["words"] == written
    drawn = client.post(path, json={"op": "draw", "box": words[3]["box"]}).json()
    assert drawn["words"] == written + 1
    printed = client.post(path, json={"op": "mark", "boxes": [words[5]["box"]], "kind": "print"}).json()
    (marked,) = [word for word in printed["record"]["words"] if word["box"] == words[5]["box"]]
    assert (marked["kind"], marked["hand"], marked["computed_kind"]) == ("print", "", "writing")
    assert marked["by"] == "examiner" and printed["log10_lr"] != drawn["log10_lr"]


def test_a_hand_that_a_person_assigned_is_marked_as_such_everywhere(
    client: TestClient, own_page: int
) -> None:
    box = _page(client, own_page)["record"]["words"][10]["box"]
    change = {"op": "hand", "boxes": [box], "hand": "B"}
    headers = {"X-Examiner": "%EA%B9%80"}
    page = client.post(f"/api/pages/{own_page}/corrections", json=change, headers=headers).json()
    word = page["record"]["words"][10]
    assert (word["hand"], word["computed_hand"], word["by"]) == ("B", "A", "examiner")
    assert page["corrections"][0]["examiner"] == "김"
    rows = list(csv.DictReader(io.StringIO(client.get(f"/api/pages/{own_page}/export/csv").text)))
    assert [row["by"] for row in rows if row["by"] != "computed"] == ["examiner"]
    assert "corrected by hand" in client.get(f"/api/pages/{own_page}/export/html").text
    workbench = client.get(f"/api/pages/{own_page}/export/json").json()["workbench"]
    assert workbench["corrections"][0]["change"]["hand"] == "B" and workbench["computed"] is not None


@pytest.mark.parametrize(
    "change",
    [
        {"op": "delete", "box": [0, 0, 1, 1]},
        {"op": "merge", "boxes": [[0, 0, 1, 1], [2, 2, 1, 1]]},
        {"op": "draw", "box": [0, 0, 3, 3]},
        {"op": "hand", "boxes": [[9, 9, 9, 9]], "hand": "B"},
    ],
)
def test_a_correction_of_no_word_is_refused_in_a_sentence(
    client: TestClient, demo_case: dict[str, Any], change: dict[str, Any]
) -> None:
    page_id = demo_case["exhibits"][0]["pages"][0]["id"]
    answer = client.post(f"/api/pages/{page_id}/corrections", json=change)
    assert answer.status_code == 400 and len(answer.json()["detail"]) > 10
    assert not _page(client, page_id)["corrected"]


@pytest.mark.parametrize("form", ["html", "json", "csv", "page-xml", "tei", "annotations", "pdf"])
def test_every_export_is_there(client: TestClient, demo_case: dict[str, Any], form: str) -> None:
    if form == "pdf":
        pytest.importorskip("typst")
    page_id = demo_case["exhibits"][0]["pages"][0]["id"]
    answer = client.get(f"/api/pages/{page_id}/export/{form}", params={"lang": "ko"})
    assert answer.status_code == 200 and len(answer.content) > 500
    assert "attachment" in answer.headers["content-disposition"]
    if form == "annotations":
        items = answer.json()["items"]
        assert len(items) == 86 and "#xywh=" in items[0]["target"]


def test_a_file_that_is_no_picture_becomes_a_page_with_an_error(
    client: TestClient, empty_case: int, finished: Finished
) -> None:
    client.post(f"/api/cases/{empty_case}/exhibits", files={"files": ("notes.png", b"plain text")})
    (page,) = finished(empty_case)["exhibits"][0]["pages"]
    assert "not an image" in page["error"] and "/" not in page["error"]


def test_what_went_wrong_is_said_in_the_language_of_the_reader(
    client: TestClient, empty_case: int, finished: Callable[[int], dict[str, Any]]
) -> None:
    files = [("files", ("empty.png", b"not a picture", "image/png"))]
    client.post(f"/api/cases/{empty_case}/exhibits", files=files)
    english = finished(empty_case)["exhibits"][0]["pages"][0]
    asked = {"Accept-Language": "ko-KR,ko;q=0.9"}
    korean = client.get(f"/api/cases/{empty_case}", headers=asked).json()["exhibits"][0]["pages"][0]
    page = client.get(f"/api/pages/{english['id']}", headers=asked).json()
    assert "not an image" in english["error"]
    assert korean["error"] == page["error"]
    assert korean["error"].startswith("handshift가 읽을 수 있는 이미지가 아닙니다")
    assert client.get(f"/api/pages/{english['id']}").json()["error"] == english["error"]


def test_the_same_file_is_an_exhibit_once(client: TestClient, empty_case: int) -> None:
    for _ in range(2):
        added = client.post(f"/api/cases/{empty_case}/exhibits", files={"files": ("a.png", b"same")}).json()
    assert added[0]["duplicate"] and len(client.get(f"/api/cases/{empty_case}").json()["exhibits"]) == 1


def test_the_hands_of_the_demo_pages_are_linked_and_compared(
    client: TestClient, demo_case: dict[str, Any], finished: Finished
) -> None:
    case_id, (first, second) = demo_case["id"], demo_case["exhibits"]
    pages = [first["pages"][0]["id"], second["pages"][0]["id"]]
    linked = client.post(f"/api/cases/{case_id}/document", json={"pages": pages}).json()["id"]
    sides = {"questioned": [first["id"]], "known": [second["id"]]}
    compared = client.post(f"/api/cases/{case_id}/compare", json=sides).json()["id"]
    finished(case_id)
    assert set(client.get(f"/api/jobs/{linked}").json()["result"]["hands"]) == {"A", "B"}
    found = client.get(f"/api/jobs/{compared}").json()["result"]
    assert found["log10_lr"] > 1
    assert "support for one writer" in found["statement"]["en"]["headline"]
    assert "한 사람" in found["statement"]["ko"]["one"]


def test_a_person_is_enrolled_identified_and_forgotten(client: TestClient, demo_case: dict[str, Any]) -> None:
    one, two = demo_case["exhibits"]
    assert client.post("/api/gallery", json={"name": "Anna", "exhibits": [two["id"]]}).json() == {"new": 1}
    found = client.post(f"/api/exhibits/{one['id']}/identify").json()
    assert found["accepted"] == "Anna"
    assert client.delete("/api/gallery/Anna").status_code == 204
    assert client.get("/api/gallery").json() == []


def test_a_second_opinion_is_blind_until_both_have_submitted(client: TestClient, own_page: int) -> None:
    path = f"/api/pages/{own_page}/opinions"

    def put(examiner: str, marks: dict[str, str], submit: bool) -> int:
        wanted = {"examiner": examiner, "marks": marks, "conclusion": f"by {examiner}", "submit": submit}
        return client.put(path, json=wanted).status_code

    assert put("Kim", {"1,2,3,4": "B"}, True) == 200
    assert put("Lee", {"5,6,7,8": "B"}, False) == 200
    assert client.get(path, params={"examiner": "Lee"}).json()["others"] == []
    assert client.get(path, params={"examiner": "Kim"}).json()["others"] == []
    assert put("Lee", {"1,2,3,4": "C"}, True) == 200
    seen = client.get(path, params={"examiner": "Lee"}).json()
    assert seen["differences"][0]["words"] == [{"box": "1,2,3,4", "own": "C", "other": "B"}]
    assert put("Lee", {}, True) == 400  # what was submitted stands


def test_a_case_is_deleted_only_by_its_name_and_stays_in_the_log(client: TestClient, empty_case: int) -> None:
    assert client.delete(f"/api/cases/{empty_case}").status_code == 400
    assert client.delete(f"/api/cases/{empty_case}", params={"confirm": "of a test"}).status_code == 204
    assert client.get(f"/api/cases/{empty_case}").status_code == 404
    actions = [line["action"] for line in client.get("/api/log", params={"case": empty_case}).json()]
    assert actions == ["case.opened", "case.deleted"]


def test_the_log_tells_the_model_and_its_chain_is_whole(
    client: TestClient, demo_case: dict[str, Any]
) -> None:
    lines = client.get("/api/log", params={"case": demo_case["id"]}).json()
    examined = [line for line in lines if line["action"] == "page.examined"]
    assert len(examined) == 2 and all(line["details"]["model"] for line in examined)
    assert client.get("/api/log/verify").json()["intact"]
    exported = client.get("/api/log/export.jsonl").text
    assert [json.loads(line)["id"] for line in exported.splitlines()][:3] == [1, 2, 3]


def test_tiles_cover_the_page_and_no_more(client: TestClient, demo_case: dict[str, Any]) -> None:
    page = demo_case["exhibits"][0]["pages"][0]
    path = f"/api/pages/{page['id']}/tiles"
    assert client.get(f"{path}/11/2_1.jpg").status_code == 200
    assert client.get(f"{path}/11/3_0.jpg").status_code == 404
    assert client.get(f"{path}/12/0_0.jpg").status_code == 404


def test_files_leave_the_store_with_the_last_case_that_names_them(
    client: TestClient, finished: Finished
) -> None:
    from handshift.corpus.scribes import Passage, Scribe, draw_page

    image = draw_page([Passage(Scribe(3), "The key hangs behind the door.")], seed=9).image
    content = cv2.imencode(".png", image)[1].tobytes()
    files = client.app.state.workbench.files  # type: ignore[attr-defined]
    cases = [client.post("/api/cases", json={"name": name}).json()["id"] for name in ("one", "two")]
    for case in cases:
        answer = client.post(f"/api/cases/{case}/exhibits", files={"files": ("key.png", content)})
        digest = answer.json()[0]["sha256"]
    exhibits = [finished(case)["exhibits"][0] for case in cases]
    picture = client.get(f"/api/pages/{exhibits[0]['pages'][0]['id']}/thumbnail.jpg")
    assert picture.status_code == 200 and files.path(digest).is_file()
    assert client.delete(f"/api/cases/{cases[0]}", params={"confirm": "one"}).status_code == 204
    assert files.path(digest).is_file()  # the other case has it still
    assert client.get(f"/api/pages/{exhibits[1]['pages'][0]['id']}/thumbnail.jpg").status_code == 200
    assert client.delete(f"/api/exhibits/{exhibits[1]['id']}").status_code == 204
    with pytest.raises(HandshiftError):
        files.path(digest)
