"""`remem serve embeddings` and `remem serve stub` as processes: they serve until Ctrl-C."""

import json
import re
import signal
import subprocess
import sys
import urllib.request
from contextlib import ExitStack
from pathlib import Path

import pytest

from remem.cli.serve import stub
from remem.errors import UsageError

REMEM = Path(sys.executable).parent / "remem"
TOLD = {"hashing": ("some/model", "abc"), "loopback-stub": (None, None)}
COMMANDS = {
    "hashing": (
        *("serve", "embeddings", "embedder=hashing"),
        "+embedder.identity={model:some/model,revision:abc}",
    ),
    "loopback-stub": ("serve", "stub", "--faults", "429, prose", "--latency-ms", "1"),
}


def test_servers_say_where_they_are_and_end_without_an_error() -> None:
    with ExitStack() as running:
        servers = {  # both at once: it is their start that takes time
            model: running.enter_context(
                subprocess.Popen(
                    [REMEM, *arguments, "--port", "0"],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
            for model, arguments in COMMANDS.items()
        }
        for model, process in servers.items():
            assert process.stdout is not None
            told = process.stdout.readline()
            base_url = re.search(r"http://127\.0\.0\.1:\d+/v1", told)
            assert base_url and model in told
            with urllib.request.urlopen(f"{base_url[0]}/models", timeout=60) as reply:
                (listed,) = json.load(reply)["data"]
            assert listed["id"] == model
            assert (listed.get("model"), listed.get("revision")) == TOLD[model]
            process.send_signal(signal.SIGINT)
            _, complaint = process.communicate(timeout=60)
            assert (process.returncode, complaint) == (0, "")


def test_an_unknown_fault_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="unknown faults 418; choose from 429, 500, hang"):
        stub(faults="429,418")
