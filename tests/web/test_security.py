from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from handshift.core.errors import HandshiftError
from handshift.web.app import create_app
from handshift.web.settings import ServerSettings


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8321", "127.0.0.1.evil.example", "", "[::2]"])
def test_another_host_name_is_not_answered(client: TestClient, host: str) -> None:
    assert client.get("/api/cases", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8321", "localhost:8321", "[::1]:8321"])
def test_the_servers_own_names_are_answered(client: TestClient, host: str) -> None:
    assert client.get("/api/cases", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_another_sites_page_can_change_nothing(client: TestClient, headers: dict[str, str]) -> None:
    before = len(client.get("/api/cases").json())
    assert client.post("/api/cases", json={"name": "forged"}, headers=headers).status_code == 403
    assert len(client.get("/api/cases").json()) == before


def test_every_answer_carries_the_security_headers(client: TestClient) -> None:
    for path in ("/", "/api/cases", "/workbench.js"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_the_page_loads_nothing_from_elsewhere() -> None:
    from handshift.web.app import STATIC

    page = (STATIC / "index.html").read_text("utf-8")
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "") and "https://" not in page


def test_an_upload_over_the_limit_is_refused(client: TestClient, empty_case: int) -> None:
    files = {"files": ("large.png", b"\x89PNG" + b"0" * (9 << 20))}
    assert client.post(f"/api/cases/{empty_case}/exhibits", files=files).status_code == 413
    assert client.get(f"/api/cases/{empty_case}").json()["exhibits"] == []


def test_a_file_name_cannot_leave_its_folder_or_forge_a_line(client: TestClient, empty_case: int) -> None:
    names = [
        "../../etc/passwd.png",
        "C:\\windows\\x.png",
        "a\nb\x1b[31m.png",
        "<img src=x onerror=alert(1)>.png",
    ]
    for number, name in enumerate(names):
        files = {"files": (name, b"no picture %d" % number)}
        added = client.post(f"/api/cases/{empty_case}/exhibits", files=files)
        assert added.status_code in {201, 400}
    for exhibit in client.get(f"/api/cases/{empty_case}").json()["exhibits"]:
        assert "/" not in exhibit["name"] and "\\" not in exhibit["name"] and exhibit["name"].isprintable()


@pytest.mark.parametrize("path", ["/../settings.py", "/%2e%2e/app.py", "/..%2fapp.py", "/static/../app.py"])
def test_files_outside_of_the_page_are_not_served(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404 and "import" not in answer.text


def test_beyond_loopback_a_token_is_required(tmp_path: Path) -> None:
    with pytest.raises(HandshiftError, match="--token"):
        ServerSettings(tmp_path, host="0.0.0.0")


def test_a_token_is_asked_for_and_kept_in_a_cookie(tmp_path: Path) -> None:
    settings = ServerSettings(tmp_path, token="a secret")
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8321") as guarded:
        assert guarded.get("/api/cases").status_code == 401
        assert guarded.get("/api/cases?token=wrong").status_code == 401
        assert guarded.get("/api/cases", headers={"authorization": "Bearer wrong"}).status_code == 401
        assert guarded.get("/api/cases", headers={"authorization": "Bearer a secret"}).status_code == 200
        entered = guarded.get("/?token=a secret", follow_redirects=False)
        assert entered.status_code == 303 and entered.headers["location"] == "/"
        assert (
            "HttpOnly" in entered.headers["set-cookie"] and "SameSite=strict" in entered.headers["set-cookie"]
        )
        guarded.cookies.set("handshift_token", '"a secret"')
        assert guarded.get("/api/cases").status_code == 200


def test_markup_in_names_and_notes_stays_text_in_reports(
    client: TestClient, demo_page: Path, finished: Callable[[int], dict[str, Any]]
) -> None:
    evil = "<script>alert(1)</script>"
    case = client.post("/api/cases", json={"name": evil, "notes": evil, "examiner": evil}).json()["id"]
    files = {"files": (f"{evil}.png", demo_page.read_bytes())}
    client.post(f"/api/cases/{case}/exhibits", files=files)
    page = finished(case)["exhibits"][0]["pages"][0]["id"]
    for form in ("html", "page-xml", "tei"):
        text = client.get(f"/api/pages/{page}/export/{form}").text
        assert evil not in text, form


def test_a_bomb_is_one_failed_page(
    client: TestClient, empty_case: int, finished: Callable[[int], dict[str, Any]]
) -> None:
    import struct
    import zlib

    def chunk(kind: bytes, content: bytes) -> bytes:
        whole = kind + content
        return struct.pack(">I", len(content)) + whole + struct.pack(">I", zlib.crc32(whole))

    size = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\0" * 30_000_000)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    client.post(f"/api/cases/{empty_case}/exhibits", files={"files": ("bomb.png", png)})
    (page,) = finished(empty_case)["exhibits"][0]["pages"]
    assert page["error"] and page["width"] == 0
