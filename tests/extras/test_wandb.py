"""What the real package writes offline, read back from its own files: nothing was sent anywhere."""

import json
import os
import re
import struct
import subprocess
import sys
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
app = typer.Typer()
app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(
    run
)
app.command()(wandb)
try:
    app(sys.argv[1:])
finally:  # its own process is spoken to through a socket of the file system
    remote = [one for one in outside if "/socket" not in str(one) and "127.0.0.1" not in str(one)]
    assert not remote, remote
"""
BLOCK, HEADER = 32 * 1024, 7


def remem(*words: object, cwd: Path, **variables: str) -> str:
    """Run a verb without a network, and return what it said on stdout and stderr."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("WANDB_")}
    home = cwd / "home"
    home.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, words)],
        cwd=cwd,
        env={**kept, "HOME": str(home), "OPENAI_API_KEY": CANARY, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [path for path in home.rglob("*") if path.is_file()] == []
    return done.stdout + done.stderr


@dataclass(slots=True)
class Mirrored:
    """A run as it stands in the package's log."""

    run: Any = None
    config: dict[str, Any] = field(default_factory=dict)
    summary: dict[str, Any] = field(default_factory=dict)
    artifacts: dict[str, dict[str, bytes]] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> list[dict[str, Any]]:
        table = json.loads(
            self.artifacts[f"run-{self.run.run_id}-questions"]["questions.table.json"]
        )
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
    """What a run of ten questions says that is mirrored when it is done."""
    return remem("run", *SMALL, "logger=wandb", "logger.group=mine", cwd=place)


@pytest.fixture(scope="module")
def folder(place: Path, said: str) -> Path:
    (manifest,) = (place / "results" / "runs").rglob("manifest.json")
    return manifest.parent


@pytest.fixture(scope="module")
def waiting(place: Path, said: str) -> Path:
    """The run as W&B keeps it, before it is mirrored again."""
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


def test_the_table_has_a_row_for_each_question_and_no_text(mirrored: Mirrored, folder) -> None:
    records = read_records(folder)
    assert [row["query_id"] for row in mirrored.rows] == [item.query_id for item in records]
    assert [row["steps"] for row in mirrored.rows] == [len(item.steps) for item in records]
    assert not {"question", "gold", "answer"} & mirrored.rows[0].keys()


def test_the_records_are_an_artifact_of_sums(mirrored: Mirrored, folder: Path) -> None:
    name = f"records-{mirrored.run.run_id}"
    assert set(mirrored.artifacts) == {name, f"run-{mirrored.run.run_id}-questions"}
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
    """What is said when the same run is mirrored again, with a key that must not be used."""
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


def test_the_dashboard_is_specified_offline(place: Path, repeated: str) -> None:
    assert "dashboard.json" in repeated
    specification = json.loads((place / "results" / "wandb" / "dashboard.json").read_text())
    sections = specification["spec"]["section"]["panelBankConfig"]["sections"]
    by_name = {section["name"]: section["panels"] for section in sections}
    bars, *_ = by_name["generated_dialogues"]
    assert bars["viewType"] == "Bar Chart"
    assert bars["config"]["metrics"] == [
        f"summary_metrics.generated_dialogues/all/f1{end}" for end in ("/ci_lo", "", "/ci_hi")
    ]
    kinds = [panel["viewType"] for panel in by_name["generated_dialogues"]]
    assert kinds == ["Bar Chart"] * 5 + ["Scatter Plot"] * 2
    assert [panel["viewType"] for panel in by_name["questions"]] == ["Weave"]


def test_the_jobs_of_a_sweep_are_a_group(tmp_path: Path) -> None:
    remem("run", "-m", *SMALL, "logger=wandb", "method=remem_s,no_memory", cwd=tmp_path)
    runs = [read_back(folder).run for folder in offline_runs(tmp_path / "results")]
    (sweep,) = (tmp_path / "results" / "sweeps").iterdir()
    assert [run.run_group for run in runs] == [sweep.name] * 2
    assert len({run.run_id for run in runs}) == 2


def test_a_score_of_a_users_own_is_sent_with_its_interval(tmp_path: Path) -> None:
    own = ("+score=starts_alike", "run.packages=[starts_alike]")
    chosen = ("--config-dir", str(OWN_SCORE / "conf"), *SMALL, *own, "logger=wandb")
    remem("run", *chosen, cwd=tmp_path, PYTHONPATH=str(OWN_SCORE))
    (folder,) = (path.parent for path in (tmp_path / "results" / "runs").rglob("manifest.json"))
    package = ("--package", "starts_alike")
    remem("wandb", folder, "--offline", *package, cwd=tmp_path, PYTHONPATH=str(OWN_SCORE))
    interval = json.loads((folder / "scores.json").read_text())["overall"]["starts_alike"]
    for sent in map(read_back, offline_runs(tmp_path / "results")):
        key = "generated_dialogues/all/starts_alike"
        assert sent.summary[key] == interval["mean"]
        assert sent.summary[f"{key}/ci_lo"] == interval["low"]
        assert [row["starts_alike"] for row in sent.rows].count(1.0) == 10 * interval["mean"]
