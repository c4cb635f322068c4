"""Take the screenshots in docs/images with headless Chromium, and time a large report."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from example_leaderboard import EVERY, make_site
from playwright.sync_api import Page, sync_playwright

IMAGES = Path(__file__).parents[1] / "docs" / "images"
REMEM = Path(sys.executable).parent / "remem"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
QUICK = "convention.score.resamples=999"


def main() -> None:
    """Make a report, a table and a sweep, and take screenshots of them."""
    IMAGES.mkdir(exist_ok=True)
    chromium = os.environ.get("REMEM_CHROMIUM") or shutil.which("chromium")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        results = Path(folder) / "results"
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1240, "height": 820})
        take_report(page, results)
        take_diff(page, results)
        take_table(page, results)
        take_list(page, results)
        take_sweep(page, results)
        take_leaderboard(page, Path(folder) / "leaderboard")
        time_large_report(page, results)
        browser.close()


def take_report(page: Page, results: Path) -> None:
    """Take screenshots of a report: its head, a trace, the memory."""
    remem(results, "run", "method=remem_i", QUICK)
    page.goto(report(results, "generated_dialogues"))
    page.screenshot(path=IMAGES / "report.png")
    page.select_option("#outcome", "right")
    page.locator("#table tbody tr.row").nth(1).click()
    page.locator("#questions").scroll_into_view_if_needed()
    page.locator("#questions h2").evaluate("heading => heading.scrollIntoView()")
    page.screenshot(path=IMAGES / "trace.png")
    page.locator("#memory h2").evaluate("heading => heading.scrollIntoView()")
    page.screenshot(path=IMAGES / "memory.png")


def take_diff(page: Page, results: Path) -> None:
    """Take a screenshot of what flipped between two runs, on a desktop and on a phone."""
    remem(results, "run", "method=bm25_messages", QUICK)
    runs = [str(next(results.glob(f"runs/*/{name}+*/*"))) for name in ("bm25_messages", "remem_i")]
    diff = results / "diff.html"
    remem(results, "compare", *runs, "--html", str(diff))
    page.goto(diff.as_uri())
    page.locator("#flipped h2").evaluate("heading => heading.scrollIntoView()")
    page.screenshot(path=IMAGES / "diff.png")
    desktop = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 820})
    page.locator("#flipped h2").evaluate("heading => heading.scrollIntoView()")
    page.screenshot(path=IMAGES / "diff_phone.png")
    if desktop is not None:
        page.set_viewport_size(desktop)


def take_table(page: Page, results: Path) -> None:
    """Take a screenshot of a table's page."""
    remem(results, "table", "offline")
    page.goto(next(results.glob("tables/offline*/report.html")).as_uri())
    page.screenshot(path=IMAGES / "table.png")


def take_list(page: Page, results: Path) -> None:
    """Take a screenshot of the list of all runs."""
    site = results.parent / "site"
    subprocess.run([REMEM, "view", results, "--export", site], check=True)
    page.goto((site / "index.html").as_uri())
    page.screenshot(path=IMAGES / "view.png")


def take_sweep(page: Page, results: Path) -> None:
    """Take a screenshot of a sweep's table and charts."""
    ablations = "ablation=none,no_gists,no_facts,no_semantic_retrieve,no_lexical_retrieve"
    remem(results, "run", "-m", "method=remem_i", ablations, QUICK)
    page.goto(next(results.glob("sweeps/*/report.html")).as_uri())
    page.screenshot(path=IMAGES / "sweep.png")


def take_leaderboard(page: Page, folder: Path) -> None:
    """Take a screenshot of the leaderboard of `make example-leaderboard`."""
    page.goto(make_site(EVERY, folder).as_uri())
    page.screenshot(path=IMAGES / "leaderboard.png")


def time_large_report(page: Page, results: Path) -> None:
    """Print the size of a report of 2,800 questions, and the time to open it."""
    remem(results, "run", "dataset=generated_tot", "planner=symbolic", "reader=symbolic", QUICK)
    page.goto(report(results, "generated_tot/remem_i+symbolic+none"))
    took = page.evaluate("performance.timing.loadEventEnd - performance.timing.navigationStart")
    size = len(page.content().encode()) / 1e6
    print(f"a report of 2,800 questions: {size:.1f} MB, opened in {took} ms")


def report(results: Path, run_of: str) -> str:
    """Write the report of the only run on a dataset and return its address."""
    run = next(path.parent for path in results.glob(f"runs/{run_of}/**/manifest.json"))
    remem(results, "report", str(run), "--with-text")
    return (run / "report.html").as_uri()


def remem(results: Path, *arguments: str) -> None:
    """Call the command line."""
    environment = os.environ | {"REMEM_RESULTS": str(results)}
    subprocess.run([REMEM, *arguments], env=environment, check=True, capture_output=True)


if __name__ == "__main__":
    main()
