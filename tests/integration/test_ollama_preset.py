"""A run with the preset for Ollama works on the loopback stub."""

from pathlib import Path

from remem.config.run_config import compose_config, run_config
from remem.run.experiment import run_experiment
from remem.serve.stub.stub import StubServer

SMALL = ("run.histories=1", "run.limit=2", "method=remem_i", "planner=llm_tools", "reader=direct")


def test_a_run_goes_through_the_preset_of_ollama(tmp_path: Path) -> None:
    with StubServer() as stub:
        where = (f"llm.build.endpoint.base_url={stub.base_url}", f"paths.results={tmp_path}")
        model = ("llm=ollama", "llm.build.endpoint.model=loopback-stub")
        result = run_experiment(run_config(compose_config([*SMALL, *where, *model])))
    assert (result.total, result.errors) == (2, 0)
    assert all(record.recall_usage.calls for record in result.records)
