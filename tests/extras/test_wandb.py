"""What the real W&B package writes offline, read from its files; nothing is sent."""

import json
import os
import re
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from remem.config.run_config import compose_config, run_config
from remem.reports.html.report import write_report
from remem.results.run import Run
from remem.run.experiment import run_experiment
from remem.run.store import CANONICAL, read_records

pytestmark = pytest.mark.extra
if find_spec("wandb") is None:
    pytest.skip("wandb is not installed", allow_module_level=True)

OWN_SCORE = Path(__file__).parents[2] / "examples" / "own_score"
OWN_PATH = os.pathsep.join(filter(None, (str(OWN_SCORE), os.environ.get("PYTHONPATH"))))
CANARY = "sk-canary-7f3a9b2c"
SMALL = (
    "dataset=generated_dialogues",
    "dataset.build.conversations=1",
    "dataset.build.sessions=4",
    "run.limit=10",
    "convention.score.resamples=99",
)
# A process of its own: the audit hook stays, and the package reads its environment once.
PROGRAM = """
import sys
outside = []
def heard(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        outside.append((event, arguments[1:] if event == "socket.connect" else arguments))
sys.addaudithook(heard)

import typer
from remem.cli.measure import run
from remem.cli.pages import wandb
from remem.cli.tables import table
app = typer.Typer()
app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(
    run
)
app.command()(wandb)
app.command()(table)
try:
    app(sys.argv[1:])
finally:  # its own process is spoken to through a socket of the file system
    remote = [one for one in outside if "/socket" not in str(one) and "127.0.0.1" not in str(one)]
    assert not remote, remote
"""
# Answers wait until W&B has its file of the run, and then take longer than it keeps points back.
SLOWLY = """
import time
from pathlib import Path
from remem.run.experiment import Experiment
answer = Experiment.answer
def slow_answer(*arguments):
    while not list(Path("results/wandb").glob("offline-run-*/*.wandb")):
        time.sleep(0.1)
    time.sleep(1.2)
    return answer(*arguments)
Experiment.answer = slow_answer
"""
POINTS_BEFORE_THE_KILL, SECONDS_TO_WAIT = 3, 90
BLOCK, HEADER = 32 * 1024, 7


def started(program: str, *words: object, cwd: Path, **variables: str) -> subprocess.Popen[str]:
    """Start a verb in a process of its own."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("WANDB_")}
    home = cwd / "home"
    home.mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, words)],
        cwd=cwd,
        env={**kept, "HOME": str(home), "OPENAI_API_KEY": CANARY, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def remem(*words: object, cwd: Path, **variables: str) -> str:
    """Run a verb without a network, and return what it said on stdout and stderr."""
    process = started(PROGRAM, *words, cwd=cwd, **variables)
    said, errors = process.communicate()
    assert process.returncode == 0, errors
    assert [path for path in (cwd / "home").rglob("*") if path.is_file()] == []
    return said + errors


@dataclass(slots=True)
class Mirrored:
    """A run as the package's log contains it."""

    run: Any = None
    config: dict[str, Any] = field(default_factory=dict)
    summary: dict[str, Any] = field(default_factory=dict)
    artifacts: dict[str, dict[str, bytes]] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    points: dict[int, dict[str, Any]] = field(default_factory=dict)

    @property
    def rows(self) -> list[dict[str, Any]]:
        return self.table("questions")

    def table(self, name: str) -> list[dict[str, Any]]:
        table = json.loads(self.artifacts[f"run-{self.run.run_id}-{name}"][f"{name}.table.json"])
        return [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]


def entries(path: Path) -> Iterator[bytes]:
    """Yield the entries of a log in LevelDB's form: blocks of pieces, each with its own header."""
    content = path.read_bytes()
    assert content[:4] == b":W&B"
    at, entry = HEADER, b""
    while at + HEADER <= len(content):
        left = BLOCK - at % BLOCK
        _, length, kind = struct.unpack("<IHB", content[at : at + HEADER])
        if left < HEADER or kind == 0:
            at += left
            continue
        entry += content[at + HEADER : at + HEADER + length]
        at += HEADER + length
        if kind in (1, 4):  # whole, or its last piece
            yield entry
            entry = b""


def read_back(folder: Path) -> Mirrored:
    from wandb.proto import wandb_internal_pb2

    found = Mirrored()
    (log,) = folder.glob("*.wandb")
    for entry in entries(log):
        record = wandb_internal_pb2.Record()
        record.ParseFromString(entry)
        match record.WhichOneof("record_type"):
            case "run":
                found.run = record.run
                found.config = {item.key: json.loads(item.value_json) for item in
                                record.run.config.update}  # fmt: skip
            case "summary":
                for one in record.summary.update:
                    found.summary["/".join(one.nested_key) or one.key] = json.loads(one.value_json)
            case "history":
                found.points[record.history.step.num] = {
                    "/".join(item.nested_key) or item.key: json.loads(item.value_json)
                    for item in record.history.item
                }
            case "artifact":
                one = record.artifact
                found.digests[one.name] = one.digest
                found.artifacts[one.name] = {
                    part.path: Path(part.local_path).read_bytes() for part in one.manifest.contents
                }
    return found


def offline_runs(results: Path) -> list[Path]:
    return sorted(path for path in (results / "wandb").glob("offline-run-*") if path.is_dir())


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mirrored")


@pytest.fixture(scope="module")
def said(place: Path) -> str:
    """The output of a run of ten questions that is mirrored when it is finished."""
    return remem("run", *SMALL, "logger=wandb", "logger.group=mine", cwd=place)


@pytest.fixture(scope="module")
def folder(place: Path, said: str) -> Path:
    (manifest,) = (place / "results" / "runs").rglob("manifest.json")
    return manifest.parent


@pytest.fixture(scope="module")
def waiting(place: Path, said: str) -> Path:
    """The offline run of W&B, before it is mirrored again."""
    (run,) = offline_runs(place / "results")
    return run


@pytest.fixture(scope="module")
def mirrored(waiting: Path) -> Mirrored:
    return read_back(waiting)


def test_it_says_where_the_run_waits_and_what_sends_it(
    place: Path, said: str, waiting: Path
) -> None:
    said_of = "offline (no WANDB_API_KEY and no login); to send it: wandb sync results/wandb/"
    assert f"{said_of}{waiting.name}" in said
    assert not (place / "wandb").exists()


def test_the_run_has_its_configuration_name_group_and_tags(mirrored: Mirrored, folder) -> None:
    fingerprint = json.loads((folder / "manifest.json").read_text())["fingerprint"]
    run = mirrored.run
    assert (run.run_id, run.project, run.run_group) == (fingerprint, "remem", "mine")
    assert (run.display_name, run.job_type) == (
        "REMem-I (scripted) on generated_dialogues", "run"
    )  # fmt: skip
    assert list(run.tags) == ["generated_dialogues", "remem_i", "none"]
    assert run.resume
    assert mirrored.config["method"]["name"] == "remem_i"
    assert mirrored.config["dataset"]["build"]["sessions"] == 4
    assert mirrored.config["remem"]["fingerprint"] == fingerprint


def test_the_summary_is_that_of_the_scores(mirrored: Mirrored, folder: Path) -> None:
    scores = json.loads((folder / "scores.json").read_text())
    for name in ("f1", "bleu1", "em", "recall_at_10"):
        interval, key = scores["overall"][name], f"generated_dialogues/all/{name}"
        assert mirrored.summary[key] == interval["mean"]
        assert mirrored.summary[f"{key}/ci_lo"] == interval["low"]
        assert mirrored.summary[f"{key}/ci_hi"] == interval["high"]
        assert mirrored.summary[f"{key}/n"] == interval["n"]
    for part in scores["categories"]:
        key = f"generated_dialogues/{part['category']}/f1"
        assert mirrored.summary[key] == part["f1"]["mean"]
    assert mirrored.summary["questions/asked"] == 10
    assert mirrored.summary["questions/errors"] == 0


def test_the_last_point_is_the_summary_and_the_scores_are_a_table(mirrored: Mirrored) -> None:
    point = mirrored.points[10]
    assert point["questions/per_second"] > 0
    values = {name: value for name, value in point.items() if not name.startswith("_")}
    assert "generated_dialogues/all/f1/ci_lo" in values and "tokens/per_question" in values
    assert values.items() <= mirrored.summary.items()
    (em,) = (row for row in mirrored.table("scores") if row["score"].endswith("all/em"))
    assert em["mean"] == mirrored.summary[em["score"]]
    assert em["low"] == mirrored.summary[f"{em['score']}/ci_lo"]


def test_the_table_has_a_row_for_each_question_and_no_text(mirrored: Mirrored, folder) -> None:
    records = read_records(folder)
    assert [row["query_id"] for row in mirrored.rows] == [item.query_id for item in records]
    assert [row["steps"] for row in mirrored.rows] == [len(item.steps) for item in records]
    assert not {"question", "gold", "answer"} & mirrored.rows[0].keys()


def test_the_records_are_an_artifact_of_sums(mirrored: Mirrored, folder: Path) -> None:
    name = f"records-{mirrored.run.run_id}"
    tables = {f"run-{mirrored.run.run_id}-{table}" for table in ("questions", "scores")}
    assert set(mirrored.artifacts) == {name, *tables}
    files = mirrored.artifacts[name]
    assert json.loads(files["scores.json"]) == json.loads((folder / "scores.json").read_text())
    lines = [json.loads(line) for line in files["records.sums.jsonl"].splitlines()]
    assert [line["query_id"] for line in lines] == [item.query_id for item in read_records(folder)]


def words(text: str, length: int = 8) -> set[tuple[str, ...]]:
    found = re.findall(r"[a-z0-9']+", text.lower())
    return {tuple(found[at : at + length]) for at in range(len(found) - length + 1)}


def test_no_eight_words_of_the_data_and_no_key_are_written(place: Path, folder: Path) -> None:
    benchmark = Run.open(folder).config.build_benchmark()
    theirs: set[tuple[str, ...]] = set()
    for history in benchmark.histories():
        for message in history.messages():
            theirs |= words(message.text)
        for question in benchmark.questions(history.id):
            theirs |= words(" ".join((question.query.text, *question.gold.answers)))
    assert theirs
    files = [path for path in (place / "results" / "wandb").rglob("*") if path.is_file()]
    assert len(files) > 5
    for path in files:
        text = path.read_bytes().decode("utf-8", "replace")
        assert not words(text) & theirs, path
        assert CANARY not in text, path


@pytest.fixture(scope="module")
def repeated(place: Path, folder: Path, mirrored: Mirrored) -> str:
    """The output when the same run is mirrored again, with a key that must not be used."""
    return remem(
        *("wandb", folder.relative_to(place), "--graph", "--dashboard"),
        cwd=place,
        WANDB_MODE="offline",
        WANDB_API_KEY="c" * 40,
    )


def test_a_repeat_is_the_same_run_with_the_same_artifacts(
    place: Path, mirrored: Mirrored, repeated: str
) -> None:
    assert "offline (as asked)" in repeated
    again = read_back(offline_runs(place / "results")[-1])
    assert again.run.run_id == mirrored.run.run_id
    assert mirrored.digests.items() <= again.digests.items()
    (graph,) = again.artifacts[f"graph-{again.run.run_id}"]["properties.jsonl"].splitlines()
    assert json.loads(graph)["gist_nodes"] > 0
    files = [path for path in (place / "results" / "wandb").rglob("*") if path.is_file()]
    assert not [path for path in files if b"c" * 40 in path.read_bytes()]


def test_with_text_the_questions_the_records_and_the_report_are_sent(tmp_path: Path) -> None:
    asked = run_config(compose_config([*SMALL, f"paths.results={tmp_path}/results"]))
    folder = run_experiment(asked).folder
    remem("wandb", folder, "--with-text", "--offline", "--project", "mine", cwd=tmp_path)
    found = read_back(offline_runs(tmp_path / "results")[0])
    assert found.run.project == "mine"
    records = read_records(folder)
    assert [row["question"] for row in found.rows] == [item.question for item in records]
    assert [row["answer"] for row in found.rows] == [item.answer for item in records]
    sent = found.artifacts[f"records-{found.run.run_id}"][CANONICAL]
    assert sent == (folder / CANONICAL).read_bytes()
    (report,) = found.artifacts[f"report-{found.run.run_id}"].values()
    assert report == write_report(folder).read_bytes()


def table_key(panel: dict[str, Any]) -> str:
    """Return the key of the table that a custom chart draws."""
    (runs,) = panel["config"]["userQuery"]["queryFields"]
    (table,) = (part for part in runs["fields"] if part["name"] == "summaryTable")
    return table["args"][0]["value"]


def test_the_dashboard_is_specified_offline(place: Path, repeated: str) -> None:
    assert "dashboard.json" in repeated
    specification = json.loads((place / "results" / "wandb" / "dashboard.json").read_text())
    sections = specification["spec"]["section"]["panelBankConfig"]["sections"]
    by_name = {section["name"]: section["panels"] for section in sections}
    first, *_ = panels = by_name["generated_dialogues"]
    kinds = [panel["viewType"] for panel in panels]
    lines = ["Run History Line Plot"] * 4
    assert kinds == ["Vega2"] * 4 + lines + ["Bar Chart"] + ["Scatter Plot"] * 2
    assert first["config"]["stringSettings"]["score"] == "generated_dialogues/all/f1"
    assert table_key(first) == "scores"
    chart = json.loads((place / "results" / "wandb" / "intervals.vega.json").read_text())
    drawn = {layer["mark"]["type"]: layer["encoding"] for layer in chart["layer"]}
    ends = [drawn["rule"][end]["field"] for end in ("x", "x2")]
    assert ends == ["${field:low}", "${field:high}"]
    assert panels[4]["config"]["metrics"] == ["generated_dialogues/all/f1"]
    assert panels[4]["config"]["xAxis"] == "_step"
    assert [panel["viewType"] for panel in by_name["questions"]] == ["Weave"]


def test_a_sweep_is_a_group_and_its_chart_has_a_line_for_each_method(tmp_path: Path) -> None:
    swept = ("method=bm25_messages,remem_i", "method.build.top_k=2,5")
    remem("run", "-m", *SMALL, "logger=wandb", *swept, cwd=tmp_path)
    results = tmp_path / "results"
    (sweep,) = (results / "sweeps").iterdir()
    sent = list(map(read_back, offline_runs(results)))
    assert [one.run.run_group for one in sent] == [sweep.name] * 4
    assert [list(one.points) for one in sent] == [[10, 11]] * 4

    remem("wandb", sweep.relative_to(tmp_path), "--offline", "--dashboard", cwd=tmp_path)
    (of_table,) = map(read_back, (results / "wandb").glob("offline-run-*-sweep-*"))
    assert of_table.run.run_group == sweep.name
    rows = of_table.table(sweep.name)
    assert [(row["method"], row["top_k"]) for row in rows] == [
        *(("BM25", 2), ("BM25", 5)), ("REMem-I (scripted)", 2), ("REMem-I (scripted)", 5)
    ]  # fmt: skip
    f1 = {
        (one.config["method"]["label"], one.config["method"]["build"]["top_k"]): (
            100 * one.summary["generated_dialogues/all/f1"]
        )
        for one in sent
    }
    shown = {(row["method"], row["top_k"]): row["F1"] for row in rows}
    assert shown == pytest.approx(f1)
    specification = json.loads((results / "wandb" / "dashboard.json").read_text())
    first, *_ = specification["spec"]["section"]["panelBankConfig"]["sections"]
    chart = first["panels"][0]
    assert (first["name"], table_key(chart)) == (sweep.name, sweep.name)
    assert chart["config"]["panelDefId"] == "wandb/lineseries/v0"
    fields = {"step": "top_k", "lineKey": "method", "lineVal": "F1"}
    assert chart["config"]["fieldSettings"] == fields


def test_a_table_is_sent_with_its_rows(tmp_path: Path) -> None:
    own = tmp_path / "own" / "table"
    own.mkdir(parents=True)
    rows = [{"overrides": [f"method={name}"]} for name in ("bm25_messages", "no_memory")]
    block = {
        "title": "Chats", "overrides": SMALL, "rows": rows,
        "columns": [{"heading": "F1", "score": "f1"}],
    }  # fmt: skip
    (own / "two.yaml").write_text(json.dumps({"title": "Two memories", "blocks": [block]}))
    remem("table", "two", "--config-dir", "own", "logger=wandb", cwd=tmp_path)
    sent = list(map(read_back, offline_runs(tmp_path / "results")))
    (table,) = (one for one in sent if one.run.run_id.startswith("table-"))
    runs = [one for one in sent if one is not table]
    assert [one.run.run_group for one in (*runs, table)] == ["two"] * 3
    assert table.run.display_name == "Two memories"
    f1 = {one.config["method"]["label"]: one.summary["generated_dialogues/all/f1"] for one in runs}
    shown = {row["method"]: row["F1"] for row in table.table("table")}
    assert shown == pytest.approx({label: 100 * mean for label, mean in f1.items()})


def test_a_killed_run_keeps_its_points_and_goes_on_as_the_same_run(tmp_path: Path) -> None:
    words = ("run", *SMALL, "logger=wandb", "logger.seconds=0")
    process = started(SLOWLY + PROGRAM, *words, cwd=tmp_path)
    results, until = tmp_path / "results", time.monotonic() + SECONDS_TO_WAIT
    points: dict[int, dict[str, Any]] = {}
    while len(points) < POINTS_BEFORE_THE_KILL and time.monotonic() < until:
        time.sleep(0.1)
        logs = (results / "wandb").glob("offline-run-*/*.wandb")
        points = next((read_back(log.parent).points for log in logs), {})
    process.kill()
    process.communicate()
    assert len(points) >= POINTS_BEFORE_THE_KILL
    (folder,) = (path.parent for path in (results / "runs").rglob("manifest.json"))
    answered = len((folder / "records.jsonl").read_bytes().splitlines())
    assert max(points) <= answered < 10

    remem(*words, cwd=tmp_path)
    killed, resumed = map(read_back, offline_runs(results))
    assert killed.run.run_id == resumed.run.run_id
    assert min(resumed.points) > max(killed.points)
    f1 = [scores.value("f1") for scores in Run.open(folder).scores.values()]
    for at, point in killed.points.items():
        assert point["questions/answered"] >= at
        so_far = f1[: int(point["questions/answered"])]
        assert point["generated_dialogues/all/f1"] == pytest.approx(sum(so_far) / len(so_far))


def test_a_score_of_a_users_own_is_sent_with_its_interval(tmp_path: Path) -> None:
    own = ("+score=starts_alike", "run.packages=[starts_alike]")
    chosen = ("--config-dir", str(OWN_SCORE / "conf"), *SMALL, *own, "logger=wandb")
    remem("run", *chosen, cwd=tmp_path, PYTHONPATH=OWN_PATH)
    (folder,) = (path.parent for path in (tmp_path / "results" / "runs").rglob("manifest.json"))
    package = ("--package", "starts_alike")
    remem("wandb", folder, "--offline", *package, cwd=tmp_path, PYTHONPATH=OWN_PATH)
    interval = json.loads((folder / "scores.json").read_text())["overall"]["starts_alike"]
    for sent in map(read_back, offline_runs(tmp_path / "results")):
        key = "generated_dialogues/all/starts_alike"
        assert sent.summary[key] == interval["mean"]
        assert sent.summary[f"{key}/ci_lo"] == interval["low"]
        assert [row["starts_alike"] for row in sent.rows].count(1.0) == 10 * interval["mean"]
