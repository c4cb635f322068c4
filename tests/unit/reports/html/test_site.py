"""The pages of `remem view`: what is listed, what is made, and that no path leads elsewhere."""

import json
import os
import re
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from typer.testing import Result

from remem.errors import UsageError
from remem.reports.html import site as site_module
from remem.reports.html.calls import Items
from remem.reports.html.run_list import RunList
from remem.reports.html.site import Site, site_server
from remem.reports.html.table_files import write_table_page
from remem.results.run import Run
from remem.run.store import open_run
from remem.tables.table import Table
from remem.types import Gold, Record, Retrieved

RECORD = Record(
    *("q0", "h", 0, "What colour?", Gold(("red",), "1", evidence=("m1",)), "ok"),
    answer="red",
    retrieved=(Retrieved("g1", ("m1",)),),
)
OTHER = replace(RECORD, query_id="q1", index=1, answer="blue")
FINISHED = {"finished": "2026-01-02T03:04:05+00:00", "questions": 2, "answered": 2}
SCORES = {"overall": {"f1": {"mean": 0.5, "low": 0.25, "high": 0.75, "n": 2}}}

TABLE = Table("mine", "Mine", ())

MakeRun = Callable[..., Path]


def change_manifest(folder: Path, **changes: object) -> None:
    before = json.loads((folder / "manifest.json").read_text())
    del before["sum"]
    with open_run(folder) as store:
        store.write_manifest({**before, **changes})


@pytest.fixture
def results(make_run: MakeRun) -> Path:
    """Two finished runs on the same questions, with the same data."""
    folders = [
        make_run(records, f"method={method}", "llm=none", "reader=extractive")
        for method, records in (
            ("bm25_messages", [RECORD, OTHER]),
            ("no_memory", [RECORD, replace(OTHER, answer="red")]),
        )
    ]
    for folder in folders:
        change_manifest(folder, **FINISHED)
        (folder / "scores.json").write_text(json.dumps(SCORES))
    return next(parent for parent in folders[0].parents if parent.name == "results")


def ids(results: Path) -> list[str]:
    return [run.id for run in RunList(results).read()[0]]


def test_a_finished_run_is_listed_with_its_score_and_settings(results: Path) -> None:
    (first, _), unreadable = RunList(results).read()
    assert unreadable == []
    assert (first.label, first.llm, first.reader, first.state) == (
        "BM25",
        "none",
        "extractive",
        "finished",
    )
    assert (first.answered, first.questions, first.when[:10]) == (2, 2, "2026-01-02")
    score = first.score
    assert (score.heading, score.percent, score.mean, score.low) == ("F1", True, 0.5, 0.25)


def test_a_run_that_is_being_written_is_running_and_one_without_an_end_has_stopped(
    results: Path, make_run: MakeRun
) -> None:
    listed = RunList(results)
    folder = make_run([RECORD], "method=oracle_message", "llm=none", "reader=extractive")
    name = folder.relative_to(results / "runs").as_posix()

    def state() -> tuple[str, int]:
        (run,) = (run for run in listed.read()[0] if run.id == name)
        return run.state, run.answered

    assert state() == ("stopped", 1)
    with open_run(folder):
        assert state() == ("running", 1)
    assert state() == ("stopped", 1)


def test_a_run_that_goes_on_counts_its_answers_and_shows_no_score_of_its_earlier_end(
    results: Path,
) -> None:
    listed, name = RunList(results), ids(results)[0]
    folder = results / "runs" / name

    def entry() -> tuple[str, int, int, int, float | None, str]:
        (run,) = (run for run in listed.read()[0] if run.id == name)
        return run.state, run.answered, run.errors, run.questions, run.score.mean, run.when

    assert entry() == ("finished", 2, 0, 2, 0.5, FINISHED["finished"])
    start = "2026-02-03T00:00:00+00:00"
    change_manifest(folder, questions=1986, started=["2026-01-01T00:00:00+00:00", start])
    third = replace(RECORD, query_id="q2", index=2, status="error", answer="", error="E: e")
    with open_run(folder) as store:
        store.append(third)
        assert entry() == ("running", 3, 1, 1986, None, start)
        store.append(replace(RECORD, query_id="q2", index=2))  # a second attempt
        assert entry() == ("running", 3, 0, 1986, None, start)
    assert entry() == ("stopped", 3, 0, 1986, None, start)
    change_manifest(folder, finished="2026-02-03T01:00:00+00:00", answered=3)
    assert entry()[:5] == ("finished", 3, 0, 1986, 0.5)
    stale = {"overall": {**SCORES["overall"], "total": 2}}  # a kill came before the scores
    (folder / "scores.json").write_text(json.dumps(stale))
    assert entry()[:5] == ("finished", 3, 0, 1986, None)


def test_tables_are_listed_by_their_titles_the_newest_first(results: Path) -> None:
    for at, (name, page) in enumerate(
        [("old", "<title>Old &amp; whole</title>"), ("new", "<title>New</title>"), ("bare", "")]
    ):
        table = results / "tables" / name / "report.html"
        table.parent.mkdir(parents=True)
        table.write_text(page)
        os.utime(table, (at, at))
    page = Site(results).page("")
    assert page is not None
    listed = re.findall(r'href="tables/(\w+)/report.html">(.*?)</a>', page.decode())
    assert listed == [("bare", "bare"), ("new", "New"), ("old", "Old &amp; whole")]


@pytest.mark.parametrize("partial", [True, False])
def test_a_run_that_was_not_asked_all_questions_is_partial_as_in_its_report(
    results: Path, *, partial: bool
) -> None:
    name = ids(results)[0]
    change_manifest(results / "runs" / name, partial=partial, questions=10)
    (run,) = (run for run in RunList(results).read()[0] if run.id == name)
    assert run.state == ("partial" if partial else "finished")
    report = Site(results).page(f"runs/{name}/report.html")
    assert report is not None
    assert (b"partial: not all questions were asked" in report) == partial


def test_runs_of_one_label_are_listed_with_the_settings_that_differ(
    results: Path, make_run: MakeRun
) -> None:
    for overrides in (
        ("method=remem_i", "ablation=no_facts"),
        ("method=remem_i", "ablation=none"),
        ("method=bm25_messages", "method.build.top_k=3"),
    ):
        make_run([RECORD], *overrides, "llm=none", "reader=extractive")
    names = {run.name for run in RunList(results).read()[0]}
    assert {"REMem-I (scripted) with ablation=no_facts", "No memory"} <= names
    assert "REMem-I (scripted) with ablation=none" in names
    assert {name for name in names if "top_k" in name} == {
        "BM25 with top_k=10",
        "BM25 with top_k=3",
    }


def test_a_damaged_manifest_is_named_and_costs_no_other_run(results: Path) -> None:
    first = results / "runs" / ids(results)[0]
    (first / "manifest.json").write_text("{")
    runs, (unreadable,) = RunList(results).read()
    assert len(runs) == 1 and unreadable.id == first.relative_to(results / "runs").as_posix()
    assert "manifest.json" in unreadable.reason


def test_a_page_is_made_again_only_when_its_run_changes(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    make = site_module.report_page

    def counted(run: Run, *items: Items | None, **options: bool) -> bytes:
        made.append(run.folder)
        return make(run, *items, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(site_module, "report_page", counted)
    site, path = Site(results), f"runs/{ids(results)[0]}/report.html"
    assert site.page(path) == site.page(path) and len(made) == 1
    change_manifest(made[0], answered=1)
    site.page(path)
    assert len(made) == 2


def test_a_page_is_given_while_another_is_drawn(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = write_table_page(TABLE, [], results / "tables" / "mine")
    site, path = Site(results), table.relative_to(results).as_posix()

    def slow(*_: object, **__: object) -> bytes:
        return ThreadPoolExecutor().submit(site.page, path).result(timeout=5) or b""

    monkeypatch.setattr(site_module, "report_page", slow)
    assert site.page(f"runs/{ids(results)[0]}/report.html") == table.read_bytes()


@pytest.mark.parametrize(
    "path",
    [
        "runs/../../secret.html",
        "runs/../secret/report.html",
        "runs//report.html",
        "runs/nobody/report.html",
        "tables/../runs/report.html",
        "compare/a/with/b/diff.html",
        "manifest.json",
        "..",
    ],
)
def test_a_path_of_no_run_and_no_table_has_no_page(results: Path, path: str) -> None:
    (results.parent / "secret.html").write_text("secret")
    assert Site(results).page(path) is None


def test_an_export_has_the_pages_that_its_list_links(results: Path, tmp_path: Path) -> None:
    write_table_page(TABLE, ["remem table mine"], results / "tables" / "mine")
    first, second = ids(results)
    exported = Site(results).export(tmp_path / "site")
    assert (exported.pages, exported.left_out, exported.failed) == (5, 0, ())
    pages = {
        path.relative_to(tmp_path / "site").as_posix() for path in tmp_path.glob("site/**/*.html")
    }
    assert pages == {
        "index.html",
        "tables/mine/report.html",
        f"runs/{first}/report.html",
        f"runs/{second}/report.html",
        f"compare/{first}/with/{second}/diff.html",
    }
    index = (tmp_path / "site" / "index.html").read_text()
    assert "connect-src" not in index and '"live":false' in index
    with pytest.raises(UsageError, match="is not empty"):
        Site(results).export(tmp_path / "site")


def test_an_export_writes_the_list_first_and_reads_each_run_once(
    results: Path, tmp_path: Path, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    third = make_run([RECORD, OTHER], "method=oracle_message", "llm=none", "reader=extractive")
    change_manifest(third, **FINISHED)
    opened, said = [], []
    read = Run.open

    def counted(folder: Path, packages: Sequence[str]) -> Run:
        opened.append(folder)
        return read(folder, packages)

    def note(group: str, done: int, pages: int) -> None:
        said.append((group, done, pages, (tmp_path / "site" / "index.html").exists()))

    monkeypatch.setattr(Run, "open", counted)
    Site(results).export(tmp_path / "site", note)
    assert len(opened) == len(set(opened)) == 3
    reports = [("reports", done, 3, True) for done in (1, 2, 3)]
    assert said == [*reports, *(("comparisons", done, 3, True) for done in (1, 2, 3))]


@pytest.mark.parametrize(
    "other", [{"answered": 1}, {"data": [{"name": "mine", "sha256": "a" * 64}]}]
)
def test_an_export_compares_no_runs_on_other_questions(
    results: Path, tmp_path: Path, other: dict[str, object]
) -> None:
    change_manifest(results / "runs" / ids(results)[0], **other)
    exported = Site(results).export(tmp_path / "site")
    assert (exported.pages, exported.left_out, exported.failed) == (3, 0, ())


def test_any_number_of_runs_is_compared_on_a_page_as_by_the_command(
    results: Path, tmp_path: Path, make_run: MakeRun, ask: Callable[..., Result]
) -> None:
    third = make_run([RECORD, OTHER], "method=oracle_message", "llm=none", "reader=extractive")
    quick = ("convention.score.resamples=99", "dataset=generated_dialogues")
    for count in (2, 3):
        chosen = ids(results)[:count]
        assert count == 2 or third == results / "runs" / chosen[-1]
        page = tmp_path / f"{count}.html"
        done = ask("compare", *(results / "runs" / name for name in chosen), *quick, "--html", page)
        assert done.exit_code == 0, done.output
        path = f"compare/{'/with/'.join(chosen)}/diff.html"
        assert Site(results).page(path) == page.read_bytes()


def lead_out(path: Path) -> None:
    """Move a file or folder out of the results, and put a link to it in its place."""
    outside = next(parent for parent in path.parents if parent.name == "results").parent
    path.rename(outside / f"outside-{path.name}")
    path.symlink_to(outside / f"outside-{path.name}")


@pytest.mark.parametrize("name", ["", "manifest.json", "records.jsonl", "scores.json"])
def test_a_run_that_a_link_leads_out_of_the_results_is_named_and_not_read(
    results: Path, name: str
) -> None:
    site = Site(results)
    (run, other) = ids(results)
    report = f"runs/{run}/report.html"
    assert site.page(report) is not None
    lead_out(results / "runs" / run / name)
    runs, (unreadable,) = RunList(results).read()
    assert [listed.id for listed in runs] == [other] and site.page(report) is None
    assert unreadable.id == run
    assert "a link leads out of the results folder" in unreadable.reason


def test_the_results_folder_may_be_a_link_and_its_folder_of_runs_may_not(
    results: Path, tmp_path: Path
) -> None:
    (tmp_path / "named").symlink_to(results)
    assert len(RunList(tmp_path / "named").read()[0]) == 2
    lead_out(results / "runs")
    runs, (unreadable,) = RunList(results).read()
    assert (runs, unreadable.id) == ([], "runs")


@pytest.mark.parametrize("kind", ["tables", "sweeps"])
@pytest.mark.parametrize("linked", ["", "x", "x/report.html"])
def test_a_page_that_a_link_leads_out_of_the_results_is_named_and_neither_served_nor_exported(
    results: Path, tmp_path: Path, kind: str, linked: str
) -> None:
    path = f"{kind}/x/report.html"
    write_table_page(TABLE, [], results / kind / "x")
    lead_out(results / kind / linked)
    site = Site(results)
    with pytest.raises(UsageError, match="a link leads out of the results folder"):
        site.page(path)
    live, index = site.page("runs.json"), site.page("")
    assert live is not None and index is not None
    assert [left["id"] for left in json.loads(live)["unreadable"]] == [path]
    exported = site.export(tmp_path / "site")
    assert [failure.partition(":")[0] for failure in exported.failed] == [path]
    assert not (tmp_path / "site" / path).exists()
    for page in (index, (tmp_path / "site" / "index.html").read_bytes()):
        assert f'href="{path}"'.encode() not in page


def test_an_export_without_runs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no runs"):
        Site(tmp_path).export(tmp_path / "site")


def test_the_server_gives_pages_to_this_machine_only(results: Path) -> None:
    with site_server(Site(results), port=0) as server:

        def get(path: str, **headers: str) -> tuple[int, str]:
            request = urllib.request.Request(f"{server.url}{path}", headers=headers)
            try:
                with urllib.request.urlopen(request) as reply:
                    return reply.status, reply.read().decode()
            except urllib.error.HTTPError as error:
                return error.code, error.read().decode()

        write_table_page(TABLE, [], results / "tables" / "mine")
        first, second = ids(results)
        for path in (
            "/",
            "/runs.json",
            f"/runs/{quote(first)}/report.html",
            "/tables/mine/report.html",
        ):
            with urllib.request.urlopen(f"{server.url}{path}") as reply:
                policy = reply.headers["Content-Security-Policy"]
            assert policy.startswith("default-src 'none'") and "unsafe" not in policy, path
            assert policy.endswith("frame-ancestors 'none'") and "http" not in policy, path
        assert get("/")[0] == 200 and "connect-src &#39;self&#39;" in get("/")[1]
        assert [run["id"] for run in json.loads(get("/runs.json")[1])["runs"]] == [first, second]
        assert "BM25 on" in get(f"/runs/{quote(first)}/report.html")[1]
        status, diff = get(f"/compare/{quote(first)}/with/{quote(second)}/diff.html")
        assert status == 200 and "BM25" in diff and "No memory" in diff
        assert get("/runs/nobody/report.html")[0] == 404
        assert get("/", Host="evil.example")[0] == 403
        assert get("/", Origin="https://evil.example")[0] == 403
        assert get("/", **{"Sec-Fetch-Site": "cross-site"})[0] == 403
