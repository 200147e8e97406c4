"""axe-core on every view, light and dark: nothing serious."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from axe import axe_source
from chromium import CHROMIUM, SLOW, launched
from serving import RunningServer

pytest.importorskip("playwright.sync_api", reason="the dev extra brings playwright")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium")
VIEWS = {
    "#/": ".card",
    "#/case/1": ".headline",
    "#/case/1/document": ".picker",
    "#/case/1/compare": ".picker",
    "#/gallery": "form",
    "#/machines": ".card",
    "#/machine/1": ".panel",
    "#/log": ".log tbody tr",
    "#/help": "kbd",
}
SERIOUS = {"serious", "critical"}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, str, str]]:
    server = RunningServer(tmp_path_factory.mktemp("bench"))
    server.ask("/api/demo", "POST")
    server.ask("/api/machines", "POST", {"name": "Mill 3"})
    source = axe_source(tmp_path_factory.mktemp("axe"))
    with launched() as browser:
        yield browser, server.address, source
    server.kill()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(opened: tuple[Any, str, str], theme: str) -> None:
    browser, address, source = opened
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.add_init_script(f"localStorage.setItem('handshift.theme', '{theme}')")
    page = context.new_page()
    found: list[str] = []
    for view, ready in VIEWS.items():
        page.goto(f"{address}/{view}")
        page.wait_for_selector(ready, timeout=SLOW)
        if view == "#/case/1":
            page.keyboard.press("j")  # the panel of a word is part of the view
            page.wait_for_selector(".match", timeout=SLOW)
        page.evaluate(source)  # evaluated by the debugger: the page's own policy forbids foreign scripts
        result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        found += [
            f"{view} {one['id']}: {node['html'][:120]} {node['failureSummary'][:200]}"
            for one in result["violations"]
            if one["impact"] in SERIOUS
            for node in one["nodes"]
        ]
    context.close()
    assert not found, "\n".join(found)
