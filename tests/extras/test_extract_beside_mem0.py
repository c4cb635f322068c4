"""A passage through REMem and the real Mem0, both asking the loopback stub over HTTP."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

from remem.cli.main import app
from remem.serve.stub.stub import StubServer

pytestmark = pytest.mark.extra
if find_spec("mem0") is None:  # an import would start its telemetry
    pytest.skip("mem0ai is not installed", allow_module_level=True)

PASSAGE = """Date: 14 June 2022
Ines: We scraped the hull of the Petrel. The mast was raised by Ravi.
Ravi: We scraped the hull of the Petrel. Ola painted the cabin.
"""


@pytest.fixture(scope="module")
def stub() -> Iterator[StubServer]:
    with StubServer() as server:
        yield server


def test_gists_and_facts_stand_beside_what_mem0_keeps(stub: StubServer, tmp_path: Path) -> None:
    session, written = tmp_path / "session.txt", tmp_path / "table.md"
    session.write_text(PASSAGE, encoding="utf-8")
    model = ("llm=loopback-stub", f"llm.build.endpoint.base_url={stub.base_url}")
    folders = f"paths.results={tmp_path}"
    words = [str(session), "extractor=llm", *model, folders, "--out", str(written)]
    done = CliRunner().invoke(app, ["data", "extract", *words, "--beside", "method=mem0"])
    assert done.exit_code == 0, done.output
    heading, _, first, *_ = written.read_text(encoding="utf-8").split("\n\n")[1].splitlines()
    assert "REMem gists" in heading and "REMem facts" in heading
    # the stub gives a fact for each sentence, led by its speaker: all four differ and are kept
    assert "Mem0 memories (4)" in heading
    assert "in no memory word for word (0)" in heading
    assert "Ines: We scraped the hull of the Petrel." in first
    assert "> Date: 14 June 2022" in written.read_text(encoding="utf-8")
    assert f"Written: {written}" in done.output
