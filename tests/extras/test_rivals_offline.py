"""Both rivals connect only to our model, and leave no files in the home folder."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from baselines.graphiti_memory import GraphitiMemory
from baselines.mem0_memory import Mem0Memory
from remem.config.run_config import compose_config, run_config

pytestmark = pytest.mark.extra
if find_spec("mem0") is None:  # an import would start its telemetry
    pytest.skip("mem0ai is not installed", allow_module_level=True)
pytest.importorskip("graphiti_core", reason="graphiti-core is not installed")

# Out of pytest: Graphiti is silent by itself where it sees that module.
PROGRAM = """
import sys
outside = []
def heard(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        outside.append((event, arguments[1:] if event == "socket.connect" else arguments))
sys.addaudithook(heard)

from baselines.graphiti_memory import GraphitiMemory
from baselines.mem0_memory import Mem0Memory
from remem.embed.hashing import HashingEmbedder
from remem.llm.chat_model import StoredChatModel
from remem.types import Episode, History, Message, Query
from rivals_speaker import Speaker

model = StoredChatModel(endpoint=Speaker(), store=sys.argv[1], attempts=1, repeat=0,
                        budget_dollars=None, prices="2026-11-21")
shared = {"chat_model": model, "embedder": HashingEmbedder(dimension=64), "top_k": 10}
history = History("h", (Episode("e", (Message("m", "Ann", "Claire bought my boat."),)),))
for memory in (
    Mem0Memory(**shared, graph=False),
    Mem0Memory(**shared, graph=True),
    GraphitiMemory(**shared, min_similarity=0.6, parallel_calls=2),
):
    memory.index(history)
    assert memory.recall(Query("q", "h", 0, "Who bought the boat, Claire?")).passages, memory
assert "posthog" in sys.modules
assert not [one for one in outside if "127.0.0.1" not in str(one)], outside
"""


def test_no_connection_is_tried_and_the_home_folder_stays_empty(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    unset = ("MEM0_TELEMETRY", "GRAPHITI_TELEMETRY_ENABLED", "OPENAI_API_KEY", "MEM0_DIR")
    environment = {key: value for key, value in os.environ.items() if key not in unset}
    environment |= {"HOME": str(home), "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "calls.sqlite")],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert list(home.rglob("*")) == []


@pytest.mark.parametrize(
    ("method", "kind"),
    [("mem0", Mem0Memory), ("mem0_graph", Mem0Memory), ("graphiti", GraphitiMemory)],
)
def test_a_method_file_builds_its_memory(tmp_path: Path, method: str, kind: type) -> None:
    chosen = [f"method={method}", "llm=openai_compatible", f"paths.results={tmp_path}"]
    config = run_config(compose_config(chosen))
    assert isinstance(config.memory_factory()(), kind)
