"""A run asks the embedder's server once who it is, and stops if it is a different one."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from remem.config.run_config import RunConfig, configure
from remem.embed.hashing import HashingEmbedder
from remem.embed.served_encoder import ServedEncoder
from remem.embed.vector_account import SOURCE
from remem.errors import NotServedError
from remem.run.experiment import run_experiment
from remem.run.store import read_manifest, read_records
from remem.serve.embeddings import embedding_routes
from remem.serve.server import LoopbackServer

DIMENSION = 16
MINE = ServedEncoder("mine", "some/model", "abc")
NOWHERE = "http://127.0.0.1:1/v1"
Configure = Callable[..., RunConfig]


def serving(encoder: ServedEncoder) -> LoopbackServer:
    return LoopbackServer(embedding_routes(HashingEmbedder(dimension=DIMENSION), encoder))


@pytest.fixture
def searching(tmp_path: Path, tiny: tuple[str, ...]) -> Configure:
    """Return a function that configures a search of four questions with the encoder `mine`."""

    def make(base_url: str, *overrides: str) -> RunConfig:
        where = "embedder.build.embedder"
        return configure(
            *(*tiny, "method=embedding_messages", "reader=extractive", "embedder=served"),
            *(f"{where}.base_url={base_url}", f"{where}.model=mine", f"{where}.retries=0"),
            *(f"{where}.dimension={DIMENSION}", f"paths.results={tmp_path / 'results'}"),
            *overrides,
        )

    return make


def test_what_the_server_said_is_kept_and_a_finished_run_needs_no_server(
    searching: Configure,
) -> None:
    with serving(MINE) as server:
        first = run_experiment(searching(f"{server.url}/v1"))
    assert first.errors == 0
    assert read_manifest(first.folder).encoder == MINE
    again = run_experiment(searching(NOWHERE))
    assert again == first
    assert read_manifest(again.folder).encoder == MINE


@pytest.mark.parametrize("stream", ["null", "session"])
def test_a_run_stops_before_its_first_question_if_the_encoder_is_not_there(
    searching: Configure, stream: str
) -> None:
    config = searching(NOWHERE, f"run.stream={stream}")
    told = f"nothing answers at {NOWHERE}; serve mine there, .*remem serve embeddings embedder=mine"
    with pytest.raises(NotServedError, match=told):
        run_experiment(config)
    (log,) = config.results.rglob("records.jsonl")
    assert log.read_bytes() == b""
    told = pytest.raises(NotServedError, match="/v1 serves other, not mine")
    with serving(ServedEncoder("other")) as server, told:
        run_experiment(searching(f"{server.url}/v1", f"run.stream={stream}"))
    assert log.read_bytes() == b""


def test_where_nothing_answers_kept_vectors_are_used_and_a_missing_one_stops_the_run(
    searching: Configure,
) -> None:
    with serving(MINE) as server:
        run_experiment(searching(f"{server.url}/v1", "run.limit=1"))
    again = searching(NOWHERE, "run.limit=1", "reader=symbolic")
    kept = run_experiment(again)
    assert [record.status for record in kept.records] == ["ok", "ok"]
    assert read_manifest(kept.folder).encoder == MINE
    with pytest.raises(NotServedError, match=f"nothing answers at {NOWHERE}; serve mine there"):
        run_experiment(searching(NOWHERE, "reader=symbolic"))
    assert {record.status for record in read_records(kept.folder)} == {"ok"}


def test_vectors_of_two_models_under_one_name_are_not_mixed(searching: Configure) -> None:
    other = ServedEncoder("mine", "some/model", "def")
    with serving(MINE) as server:
        config = searching(f"{server.url}/v1", "run.limit=1")
        run_experiment(config)
    with serving(other) as server:
        again = searching(f"{server.url}/v1")
        told = r"the server has mine \(some/model at revision def\), but the stored vectors are of"
        with pytest.raises(NotServedError, match=told):
            run_experiment(again)
        shutil.rmtree(config.results / "cache" / "encoders")
        told = r"earlier answers were made with mine \(some/model at revision abc\)"
        with pytest.raises(NotServedError, match=told):
            run_experiment(again)


def test_what_the_server_sent_adds_up_over_the_starts_of_a_run(
    tmp_path: Path, tiny: tuple[str, ...]
) -> None:
    with serving(MINE) as server:
        where = "embedder.build.embedder"
        asked = (
            *(*tiny, "method=embedding_messages", "reader=extractive", "embedder=api"),
            *(f"{where}.base_url={server.url}/v1", f"{where}.api_key_variable=null"),
            *(f"{where}.model=mine", f"{where}.dimension={DIMENSION}"),
            f"paths.results={tmp_path / 'results'}",
        )
        first = run_experiment(configure(*asked, "run.limit=1"))
        before = read_manifest(first.folder).accounts[SOURCE]
        result = run_experiment(configure(*asked))
    account = read_manifest(result.folder).accounts[SOURCE]
    assert (before.asked, account.asked) == (before.kept, account.kept)
    assert account.kept > before.kept > 0
    run_experiment(configure(*asked))  # from what is stored
    assert read_manifest(result.folder).accounts == {SOURCE: account}


def test_a_damaged_note_of_an_encoder_is_named(searching: Configure) -> None:
    with serving(MINE) as server:
        config = searching(f"{server.url}/v1", "run.limit=1")
        run_experiment(config)
        (note,) = (config.results / "cache" / "encoders").iterdir()
        note.write_text("{}")
        with pytest.raises(ValueError, match=rf"{note.name}: name is missing; delete the file"):
            run_experiment(searching(f"{server.url}/v1"))


def test_a_run_without_a_served_embedder_asks_nobody(tiny: tuple[str, ...], tmp_path: Path) -> None:
    results = f"paths.results={tmp_path}"
    plain = (*tiny, "method=embedding_messages", "reader=extractive", results)
    folder = run_experiment(configure(*plain, "embedder=hashing")).folder
    assert read_manifest(folder).encoder is None
    unused = (*tiny, "method=bm25_messages", "reader=extractive", "embedder=served", results)
    assert run_experiment(configure(*unused)).errors == 0
