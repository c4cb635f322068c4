"""`remem table <one of the paper's>` from end to end: without data, traced, and with the stub."""

import json
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from remem.cli import main as cli

Ended = tuple[int, str, str]
SMALL = ("--override", "run.health=warn")
"""A chat of so few messages is retrieved whole."""


@pytest.fixture
def remem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Ended]:
    """Call the command with results and data of its own."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setenv("REMEM_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("REMEM_RESULTS", str(tmp_path / "results"))

    def call(*arguments: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["remem", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return call


@pytest.fixture
def small_locomo(tmp_path: Path) -> None:
    """One conversation of two sessions, with two questions."""
    chat = {
        "session_1": [
            {"speaker": "Bob", "dia_id": "D1:1", "text": "I sold my boat to Ann."},
            {"speaker": "Ann", "dia_id": "D1:2", "text": "I painted it blue."},
        ],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "I sailed to Malta."}],
        "session_2_date_time": "9:05 am on 1 June, 2023",
    }
    qa = [
        {"question": "Who sold the boat?", "answer": "Bob", "evidence": ["D1:1"], "category": 4},
        {"question": "When did Ann sail?", "answer": "June", "evidence": ["D2:1"], "category": 2},
    ]
    folder = tmp_path / "data" / "locomo"
    folder.mkdir(parents=True)
    whole = [{"sample_id": "conv-1", "conversation": chat, "qa": qa}]
    (folder / "locomo10.json").write_text(json.dumps(whole))


def cells(tmp_path: Path, name: str) -> dict[str, dict[str, dict[str, object]]]:
    """Read the JSON of a table: row -> column -> cell."""
    (path,) = (tmp_path / "results" / "tables").rglob(f"{name}.json")
    table = json.loads(path.read_bytes())
    return {
        row["label"]: {cell["column"]: cell for cell in row["cells"] if cell}
        for row in (*table["rows"], *table["llm_free"])
    }


def test_without_data_the_papers_columns_are_there_and_nothing_was_run(
    tmp_path: Path, remem: Callable[..., Ended]
) -> None:
    code, out, _ = remem("table", "recollection", *SMALL)
    assert code == 0
    assert "not run" in out
    found = cells(tmp_path, "recollection")
    assert found["REMem-I"]["locomo f1"]["paper"] == "42.4 -1.6 +1.6"
    assert {cell["verdict"] for cell in found["REMem-I"].values()} == {"not run"}


def answer_rightly(line: bytes) -> bytes:
    record = json.loads(line)
    return json.dumps({**record, "answer": record["gold"]["answers"][0]}).encode()


@pytest.mark.usefixtures("small_locomo")
def test_llm_free_rows_are_run_and_a_cell_is_traced_to_its_records_and_changes_with_them(
    tmp_path: Path, remem: Callable[..., Ended], change_records: Callable[..., None]
) -> None:
    assert remem("table", "recollection", *SMALL)[0] == 0
    before = cells(tmp_path, "recollection")["BM25"]["locomo f1"]["ours"]
    code, out, _ = remem("table", "recollection", *SMALL, "--explain", "LLM-free: BM25 | locomo f1")
    assert code == 0
    assert "conv-1/q0" in out
    for log in (tmp_path / "results" / "runs").glob("locomo/bm25_messages+*/*/records.jsonl"):
        change_records(log.parent, answer_rightly)
    assert remem("table", "recollection", *SMALL)[0] == 0
    after = cells(tmp_path, "recollection")["BM25"]["locomo f1"]["ours"]
    assert before["mean"] < after["mean"] == 100  # type: ignore[index]


@pytest.mark.usefixtures("small_locomo")
def test_the_stub_fills_the_papers_rows_marked_and_without_a_verdict(
    tmp_path: Path, remem: Callable[..., Ended]
) -> None:
    code, out, _ = remem("table", "recollection", *SMALL, "--allow-stub")
    assert code == 0
    found = cells(tmp_path, "recollection")
    for label in ("Oracle Message", "Full-Context", "HippoRAG 2", "REMem-I"):
        cell = found[f"{label} (loopback-stub)"]["locomo f1"]
        assert (cell["verdict"], cell["delta"]) == ("not comparable", None)
        assert cell["ours"] is not None
        assert found[f"{label} (loopback-stub)"]["locomo llm_j"]["ours"] is not None
    told = " ".join(out.split())
    assert "locomo: HippoRAG 2 (embedder loopback-stub) took: index 4 calls" in told
    assert "locomo: HippoRAG 2 (embedder loopback-stub) lost 0 at indexing; dense fallback" in told
    if find_spec("sentence_transformers") is None:
        missing = next(row for label, row in found.items() if label.startswith("NV-Embed-v2"))
        assert missing["locomo f1"]["instead"] == "-"
        assert "Qwen3-Embed-8B: not run: " in told and "pip install torch" in told
    else:
        made = [
            found[f"{label} (loopback-stub, weights: random)"]["locomo f1"]
            for label in ("NV-Embed-v2 (7B)", "Qwen3-Embed-8B")
        ]
        assert made[0]["ours"] is not None and made[1]["ours"] is not None
        assert made[0]["runs"] != made[1]["runs"]


def test_what_belongs_to_the_other_kind_of_table_is_refused(
    remem: Callable[..., Ended],
) -> None:
    assert remem("table", "offline", "--models")[0] == 2
    assert remem("table", "recollection", "--rows", "bm25_messages")[0] == 2
    code, _, err = remem("table", "recollection", "--explain", "REMem-I")
    assert (code, "expected 'ROW | COLUMN'" in err) == (2, True)
    assert remem("table", "nosuch")[0] == 2


@pytest.mark.usefixtures("small_locomo")
def test_a_rival_whose_package_is_missing_costs_no_other_row_its_estimate(
    remem: Callable[..., Ended],
    monkeypatch: pytest.MonkeyPatch,
    without_package: Callable[[str], None],
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    without_package("graphiti-core")
    _, out, _ = remem("table", "refusal", *SMALL, "--models")
    told = " ".join(out.split())
    assert "Graphiti on locomo: no estimate: " in told
    assert "REMem-I (llm) on locomo, estimated" in told


@pytest.mark.usefixtures("small_locomo")
def test_a_table_with_cells_that_were_not_run_is_bundled_and_replayed(
    tmp_path: Path, remem: Callable[..., Ended]
) -> None:
    assert remem("table", "recollection", *SMALL)[0] == 0
    bundle = tmp_path / "t.remem"
    code, _, err = remem("bundle", "recollection", "--out", str(bundle))
    assert code == 0, err
    code, out, err = remem("replay", str(bundle), "--results", str(tmp_path / "again"))
    assert code == 0, err
    assert "table recollection: same result" in out
