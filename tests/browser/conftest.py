"""A headless Chromium for pages from disk: REMEM_CHROMIUM, the system's, or playwright's."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
REMEM = Path(sys.executable).parent / "remem"

Open = Callable[[Path], Any]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = os.environ.get("REMEM_CHROMIUM") or shutil.which("chromium")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium: Any) -> Iterator[Open]:
    """Open a page from disk; it must raise no error, print nothing and request nothing."""
    page = chromium.new_page(viewport={"width": 1240, "height": 900})
    noise: list[str] = []
    page.on("pageerror", lambda error: noise.append(str(error)))
    page.on("console", lambda said: noise.append(said.text))
    page.on("dialog", lambda dialog: (noise.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: noise.append(request.url) if asks(request.url) else None)

    def open_page(path: Path) -> Any:
        page.goto(path.as_uri())
        return page

    yield open_page
    page.close()
    assert noise == []


def asks(url: str) -> bool:
    return not url.startswith(("file:", "data:"))


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs on a generated conversation, whose texts may be shown."""
    folder = tmp_path_factory.mktemp("browser")
    for method in ("remem_i", "bm25_messages"):
        called(
            folder, "run", f"method={method}", "run.histories=2", "convention.score.resamples=99"
        )
    return folder


@pytest.fixture(scope="session")
def runs(results: Path) -> list[Path]:
    return sorted(path.parent for path in results.glob("results/runs/**/manifest.json"))


def called(folder: Path, *arguments: str | Path) -> None:
    subprocess.run([REMEM, *arguments], cwd=folder, check=True, capture_output=True)
