"""A page shows what it is given as text, and lets nothing of it run."""

import base64
import hashlib
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.reports.html.outcome_counts import CauseTable
from remem.reports.html.page import as_script, render

HEAD = {"title": "<b>A & B</b>", "badges": (), "facts": (("data", '"><img src=x onerror=1>'),)}
EMPTY = {
    "head": {**HEAD, "foot": "'"},
    "headline": "",
    "outcomes": [],
    "wrong": CauseTable((), (), ""),
    "scores": {"names": [], "caption": "", "rows": []},
    "paper": (),
    "charts": [],
    "spent": [],
    "costs": [("recall (ms)", "<b>1", "2", "3", "4")],
    "cost_note": "",
    "items": None,
    "withheld": (),
    "missing_calls": 0,
}


def page(data: object = None) -> str:
    return render("report.html.j2", ["trace.js", "report.js"], data, **EMPTY).decode()


HOSTILE = [
    "</script><script>alert(1)</script>",
    "\"'`&amp;&lt;",
    "\u2028\u2029\x00\x1b\x7f\ufeff",
    "\ud83d",
    "x" * 1_000_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:20]))
def test_no_text_leaves_its_script_element(text: str) -> None:
    written = str(as_script({text: [text]}))
    assert not set("<>&\u2028\u2029") & set(written)
    assert written.isascii() and written.isprintable()
    assert json.loads(written) == {text: [text]}


@given(st.recursive(st.text() | st.integers() | st.none(), st.lists))
def test_what_is_put_in_is_what_a_script_reads(value: object) -> None:
    assert json.loads(as_script(value)) == value


def test_what_a_template_is_given_is_escaped() -> None:
    text = page()
    assert "<b>A" not in text and "<img" not in text
    assert "&lt;b&gt;A &amp; B&lt;/b&gt;" in text


def test_only_the_style_and_the_script_whose_sums_are_named_may_run() -> None:
    text = page()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    allowed = policy.group(1).replace("&#39;", "'")
    assert "default-src 'none'" in allowed and "unsafe" not in allowed
    for name, element in (("style", "<style>"), ("script", "<script>")):
        source = text.split(element)[1].split(f"</{name}>")[0]
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in allowed


def test_a_page_names_nothing_to_be_fetched() -> None:
    text = page()
    fetching = r"<(link|img|iframe|object|embed|base)\b|<script[^>]*src|@import|url\("
    assert not re.search(fetching, text)
    assert "http://" not in text and "https://" not in text


def test_our_scripts_set_text_and_never_html() -> None:
    made = render(
        "report.html.j2", ["trace.js", "graph.js", "report.js", "memory.js"], None, **EMPTY
    )
    made += render("report.html.j2", ["trace.js", "diff.js"], None, **EMPTY)
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert way.encode() not in made
