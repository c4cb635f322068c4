"""`remem table` for tables of the paper, end to end: without data, with traces, and on the stub."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SMALL = ("run.health=warn", "convention.score.resamples=99")
"""A chat of so few messages is retrieved whole."""


@pytest.fixture(scope="module")
def made(
    remem: Callable[..., Any], small_locomo: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A folder with the results of a table whose LLM-free rows were run; tests only read it."""
    folder = tmp_path_factory.mktemp("made")
    code, _, err = remem(folder, "table", "ablation_locomo", *SMALL, data=small_locomo)
    assert code == 0, err
    return folder


def cells(folder: Path, name: str) -> dict[str, dict[str, dict[str, Any]]]:
    """Read the JSON of a table: row -> column -> cell."""
    (path,) = (folder / "results").rglob(f"tables/*/{name}.json")
    table = json.loads(path.read_bytes())
    return {
        row["label"]: {cell["column"]: cell for cell in row["cells"] if cell}
        for row in (*table["rows"], *table["llm_free"])
    }


def test_without_data_the_papers_columns_are_there_on_a_page_and_nothing_was_run(
    tmp_path: Path, remem: Callable[..., Any]
) -> None:
    code, out, _ = remem(tmp_path, "table", "refusal")
    assert code == 0
    assert "not run" in out
    found = cells(tmp_path, "refusal")["REMem"]
    assert found["locomo refusal_f1"]["paper"] == "64.0"
    assert {cell["verdict"] for cell in found.values()} == {"not run"}
    page = tmp_path / "results" / "tables" / "refusal" / "report.html"
    assert str(page) in out.replace("\n", "")
    assert "REMem, paper: 64.0" in page.read_text(encoding="utf-8")


def answer_rightly(line: bytes) -> bytes:
    record = json.loads(line)
    return json.dumps({**record, "answer": record["gold"]["answers"][0]}).encode()


def test_llm_free_rows_are_run_and_a_cell_is_traced_to_its_records_and_changes_with_them(
    tmp_path: Path,
    remem: Callable[..., Any],
    made: Path,
    small_locomo: Path,
    change_records: Callable[..., None],
) -> None:
    before = cells(made, "ablation_locomo*")["BM25"]["avg f1"]["ours"]
    folder = tmp_path / "changed"
    shutil.copytree(made, folder)
    for log in (folder / "results" / "runs").glob("locomo/bm25_messages+*/*/records.jsonl"):
        change_records(log.parent, answer_rightly)
    explain = ("--explain", "LLM-free: BM25 | avg f1")
    code, out, _ = remem(folder, "table", "ablation_locomo", *SMALL, *explain, data=small_locomo)
    assert code == 0
    assert "conv-1/q0" in out
    assert remem(folder, "table", "ablation_locomo", *SMALL, data=small_locomo).code == 0
    after = cells(folder, "ablation_locomo*")["BM25"]["avg f1"]["ours"]
    assert before["mean"] < after["mean"] == 100


def test_a_rehearsal_fills_the_papers_rows_marked_and_without_a_verdict(
    tmp_path: Path, remem: Callable[..., Any], small_locomo: Path
) -> None:
    rehearse = ("--rehearse", "--models", "--budget", "5")
    code, out, err = remem(tmp_path, "table", "3", *SMALL, *rehearse, data=small_locomo)
    assert code == 0, err
    assert "the released prompts have not been fetched, so this rehearsal uses stand-ins" in err
    assert not (tmp_path / "results" / "cache").exists()
    found = cells(tmp_path, "recollection*")
    for label in ("Oracle Message", "Full-Context", "HippoRAG 2", "REMem-I"):
        cell = found[f"{label} (rehearsed)"]["locomo f1"]
        assert (cell["verdict"], cell["delta"]) == ("not comparable", None)
        assert cell["ours"] is not None
        assert found[f"{label} (rehearsed)"]["locomo llm_j"]["ours"] is not None
    assert found["REMem-I (rehearsed)"]["locomo f1"]["paper"] == "42.4 -1.6 +1.6"
    assert "? cannot be compared with it" in " ".join(out.split())
    (notes,) = (tmp_path / "results").rglob("recollection*.md")
    told = notes.read_text()
    assert "locomo: HippoRAG 2 (embedder nv_embed_v2) took: index 4 calls" in told
    assert (
        "locomo: HippoRAG 2 (embedder nv_embed_v2) lost 0 episodes at indexing; dense fallback"
        in told
    )
    assert "Rehearsed in " in err
    encoded = [
        found[f"{label} (rehearsed)"]["locomo f1"]
        for label in ("NV-Embed-v2 (7B)", "Qwen3-Embed-8B")
    ]
    assert None not in (encoded[0]["ours"], encoded[1]["ours"])
    assert encoded[0]["runs"] != encoded[1]["runs"]


def test_what_belongs_to_the_other_kind_of_table_is_refused(
    tmp_path: Path, remem: Callable[..., Any]
) -> None:
    assert remem(tmp_path, "table", "offline", "--models").code == 2
    assert remem(tmp_path, "table", "recollection", "--rows", "bm25_messages").code == 2
    code, _, err = remem(tmp_path, "table", "recollection", "--explain", "REMem-I")
    assert (code, "expected 'ROW | COLUMN'" in err) == (2, True)
    assert remem(tmp_path, "table", "nosuch").code == 2


def test_a_rival_whose_package_is_missing_costs_no_other_row_its_estimate(
    tmp_path: Path,
    remem: Callable[..., Any],
    small_locomo: Path,
    monkeypatch: pytest.MonkeyPatch,
    without_package: Callable[[str], None],
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    without_package("graphiti-core")
    monkeypatch.setattr("os.cpu_count", lambda: 1)  # another process would have the package
    plan = ("table", "refusal", *SMALL, "embedder=hashing", "--own-prompts", "--plan")
    _, out, _ = remem(tmp_path, *plan, data=small_locomo)
    told = " ".join(out.split())
    assert "Graphiti locomo cannot - - - - key, package " in told
    assert "package: " in told, told
    assert "REMem locomo cannot 14 " in told


def test_a_table_with_cells_that_were_not_run_is_bundled_and_replayed(
    tmp_path: Path, remem: Callable[..., Any], made: Path, small_locomo: Path
) -> None:
    bundle = tmp_path / "t.remem"
    packed = ("bundle", "pack", "ablation_locomo", *SMALL, "--out", bundle)
    code, _, err = remem(made, *packed, data=small_locomo)
    assert code == 0, err
    code, out, err = remem(
        tmp_path, "bundle", "replay", bundle, "--results", tmp_path / "again", data=small_locomo
    )
    assert code == 0, err
    assert "table ablation_locomo: same result" in out
