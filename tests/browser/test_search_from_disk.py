"""The search of the documentation runs in a worker, which a page from disk may not start.

docs/assets/iframe-worker.js stands in for it.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.extra
SHIM = Path(__file__).parents[2] / "docs" / "assets" / "iframe-worker.js"
PAGE = """<body><script src="iframe-worker.js"></script><script>
const worker = new Worker("worker/worker.js");
worker.addEventListener("message", (event) => { document.title = event.data.text; });
const asked = { text: "answer" };
worker.postMessage(asked);
setTimeout(() => { document.body.dataset.asked = asked.text; }, 300);
</script></body>"""
WORKER = """addEventListener("message", async ({ data }) => {
  await importScripts("../parts/of.js", "../parts/two.js");
  data.text += of + two;
  postMessage(data);
});"""


def test_a_frame_from_disk_does_what_a_worker_does(
    opened: Callable[[Path], Any], tmp_path: Path
) -> None:
    shutil.copy(SHIM, tmp_path)
    files = {
        "page.html": PAGE,
        "worker/worker.js": WORKER,
        "parts/of.js": 'var of = " of"',
        "parts/two.js": 'var two = of + " two"',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    page = opened(tmp_path / "page.html")
    page.wait_for_selector("body[data-asked]")
    assert page.title() == "answer of of two"
    assert page.get_attribute("body", "data-asked") == "answer"  # the worker got a copy
