"""NV-Embed-v2 and Qwen3-Embedding-8B in one table of the paper, served one after the other.

Hashing stands in for both; each server claims to be the encoder of one of the rows.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from remem.config.run_config import configure
from remem.embed.hashing import HashingEmbedder
from remem.embed.served_encoder import ServedEncoder
from remem.paper.layout import MeasuredQuantity
from remem.paper.verdict import differences
from remem.run.progress import no_view
from remem.run.store import open_run
from remem.serve.embeddings import embedding_routes
from remem.serve.server import LoopbackServer
from remem.serve.stub.stub import StubServer
from remem.tables.paper.plan import run_components
from remem.tables.paper.rows import changed, paper_overrides
from remem.tables.paper.runs import TableRuns
from remem.tables.paper.table import paper_table
from remem.tables.table import Cell, Table

TABLE = """number: 3
label: "tab:mine"
groups:
  - {key: g, title: Tiny (4), dataset: locomo, category: all, n: 4, metrics: {f1: hipporag_f1}}
rows: |
  label | memory | reader | ablation | variant | g
  NV | embedding_messages | direct | none | | 50.0
  Qwen | embedding_messages | direct | none | qwen3_embedding_8b | 50.0
  Full | full_context | direct | none | | 50.0
"""
MADE_WITH = "hipporag_f1: {score: {f1: hipporag2}, evidence: e}\n"
DIMENSION = 16
NV_EMBED = ServedEncoder(
    "nv_embed_v2", "nvidia/NV-Embed-v2", "7604d305b621f14095a1aa23d351674c2859553a"
)
OTHER_QWEN = ServedEncoder("qwen3_embedding_8b", "Qwen/Qwen3-Embedding-8B", "abc")


@pytest.fixture
def overrides(
    tmp_path: Path, rehearsal: object, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[str, ...]]:
    """Overrides: the rehearsal's benchmark instead of LoCoMo, a stub as reader, served encoders."""
    monkeypatch.setattr("remem.tables.paper.runs.llm_free_rows", lambda dataset, added: [])
    with StubServer() as stub:
        yield (
            *("convention.score.resamples=99", "convention.score.bootstrap_unit=questions"),
            *(f"paths.results={tmp_path / 'results'}", "run.health=warn"),
            *("judge=none", "prompts=own", "run.packages=[rehearsal]", "~dataset.build"),
            "+dataset.build={_target_:rehearsal.Tiny,seed:0,histories:2}",
            *("llm=loopback-stub", f"llm.build.endpoint.base_url={stub.base_url}"),
            *("embedder=served", f"embedder.build.embedder.dimension={DIMENSION}"),
        )


def table_while(encoder: ServedEncoder, paper: Path, overrides: tuple[str, ...]) -> Table:
    """Make the table while one encoder is served, and run all rows that can be run."""
    with LoopbackServer(embedding_routes(HashingEmbedder(dimension=DIMENSION), encoder)) as server:
        here = f"embedder.build.embedder.base_url={server.url}/v1"
        runs = TableRuns("all", no_view, allow_stub=True)
        return paper_table("mine", (*overrides, here), runs, paper)


def cells(table: Table) -> dict[str, Cell]:
    rows = {row.label.partition(" ")[0]: row.cells[0] for row in table.blocks[0].rows}
    return {label: cell for label, cell in rows.items() if cell is not None}


def of_embedder(cell: Cell) -> list[str]:
    return [what for what in cell.differences if "embedder" in what or "server" in what]


def test_before_its_run_a_row_is_judged_by_the_encoder_that_it_will_ask_for() -> None:
    for variant, name in (("", "nv_embed_v2"), ("qwen3_embedding_8b", "qwen3_embedding_8b")):
        measured = MeasuredQuantity("remem_i", "direct", "none", variant, "locomo", "all", "f1")
        row = paper_overrides(measured, "locomo", None)
        assert row is not None
        parts = run_components(configure(*changed(row, ("embedder=served",))))
        assert (parts.embedder, parts.encoder) == (name, None)
        found = differences(parts, measured, judged=False)
        assert not [what for what in found if "embedder" in what]


def test_a_row_waits_for_its_encoder_and_is_compared_by_what_the_server_said(
    paper: Path, overrides: tuple[str, ...], tmp_path: Path
) -> None:
    first = table_while(NV_EMBED, paper, overrides)
    found = cells(first)
    assert found["NV"].ours is not None and found["Full"].ours is not None
    assert of_embedder(found["NV"]) == []
    assert found["Qwen"].ours is None
    assert "embedder.build.embedder.model=qwen3_embedding_8b" in found["Qwen"].command
    (note,) = (note for note in first.leading if "not run" in note and "locomo" in note)
    assert note.startswith("locomo: Qwen: not run: http://127.0.0.1:")
    assert f"serves {NV_EMBED}, not qwen3_embedding_8b" in note
    assert "remem serve embeddings embedder=qwen3_embedding_8b --port" in note

    second = cells(table_while(OTHER_QWEN, paper, overrides))
    assert second["NV"] == found["NV"]
    assert second["Qwen"].ours is not None and second["Qwen"].runs != second["NV"].runs
    assert of_embedder(second["Qwen"]) == [
        "embedder Qwen/Qwen3-Embedding-8B at revision abc, not 4e42393"
    ]

    (folder,) = second["NV"].runs
    with open_run(tmp_path / "results" / folder) as store:
        silent = {key: value for key, value in store.read_manifest().items() if key != "encoder"}
        store.write_manifest(silent)
    third = cells(table_while(OTHER_QWEN, paper, overrides))
    assert of_embedder(third["NV"]) == ["the server did not say which model it served"]
