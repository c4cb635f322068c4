"""`remem serve gateway` as a process in front of a stub serves until Ctrl-C."""

import json
import re
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from openai import OpenAI

from remem.apps.rivals.gateway import gateway
from remem.errors import UsageError
from remem.serve.stub.stub import StubServer

RUN = "import typer; from remem.apps.rivals.gateway import gateway; typer.run(gateway)"


def test_it_says_where_it_is_and_keeps_account(stub_started: StubServer, tmp_path: Path) -> None:
    overrides = (
        *("llm=loopback-stub", f"llm.build.endpoint.base_url={stub_started.base_url}"),
        *("embedder=hashing", f"paths.results={tmp_path}", "--port", "0"),
    )
    with subprocess.Popen(
        [sys.executable, "-c", RUN, *overrides],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        watchdog = threading.Timer(60, process.kill)  # else a failure below would wait for ever
        watchdog.start()
        assert process.stdout is not None
        told = process.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+", told)
        assert address and "model loopback-stub, embedder hashing" in told
        token = re.search(r"key: (\S+)", told)
        assert token
        asking = OpenAI(base_url=f"{address[0]}/run/r/h/index/v1", api_key=token[1])
        said = [{"role": "user", "content": "Ann went to Rome."}]
        assert asking.chat.completions.create(model="any", messages=said).choices
        assert len(asking.embeddings.create(model="any", input="a").data[0].embedding) == 512
        usage = urllib.request.Request(
            f"{address[0]}/usage", headers={"Authorization": f"Bearer {token[1]}"}
        )
        with urllib.request.urlopen(usage, timeout=60) as reply:
            total = json.load(reply)["total"]
        assert (total["calls"], total["embedded_texts"]) == (1, 1)
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=60)
        watchdog.cancel()
    assert (process.returncode, complaint) == (0, "")


def test_no_model_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="llm=none is not a model"):
        gateway(["llm=none"], port=0)


@pytest.fixture
def stub_started() -> Iterator[StubServer]:
    with StubServer() as stub:
        yield stub
