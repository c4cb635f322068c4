"""A leaderboard in a browser: its filters, its widths, and the link to a certificate."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.extra
pytest.importorskip("remem.apps.referee", reason="the app is removed")
REMEM = Path(sys.executable).parent / "remem"


def called(folder: Path, *arguments: str | Path) -> None:
    subprocess.run([REMEM, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def site(results: Path, runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of two bundles."""
    folder = tmp_path_factory.mktemp("leaderboard")
    (folder / "bundles").mkdir()
    for number, run in enumerate(runs):
        bundle = folder / "bundles" / f"{number}.remem"
        called(folder, "bundle", "pack", run, "--out", bundle)
        called(folder, "referee", "certify", bundle)
    called(folder, "referee", "leaderboard", "bundles", "--out", "site")
    return folder / "site" / "index.html"


@pytest.fixture(params=[(1240, "light"), (390, "dark")], ids=["desktop", "phone"])
def page(chromium: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A page on which no script may fail and which may request nothing from elsewhere."""
    width, scheme = request.param
    opened = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    noise: list[str] = []
    opened.on("pageerror", lambda error: noise.append(str(error)))
    opened.on("console", lambda said: noise.append(said.text))
    opened.on(
        "request", lambda asked: None if asked.url[:5] == "file:" else noise.append(asked.url)
    )
    yield opened
    opened.close()
    assert noise == []


def test_boards_are_filtered_and_lead_to_a_certificate(page: Any, site: Path) -> None:
    page.goto(site.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.text_content("#found") == "1 of 4 boards"
    page.select_option("#convention", "")
    assert page.text_content("#found") == "4 of 4 boards"
    page.select_option("#convention", "strict")
    page.select_option("#models", "none")
    shown = page.locator("section.board:not([hidden]) tr.system")
    assert shown.count() == 2
    shown.first.locator("a").click()
    page.wait_for_load_state()
    assert page.title().startswith("Certificate")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
