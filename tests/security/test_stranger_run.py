"""A stranger's run: a report of it builds nothing that a bundle could not name."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

API = {
    "_target_": "remem.embed.api.ApiEmbedder",
    "base_url": "URL",
    "api_key_variable": "AWS_SECRET_ACCESS_KEY",
    "model": "m",
    "dimension": 4,
    "instructions": None,
    "sends_role": False,
    "batch_size": 8,
    "timeout_seconds": 5,
    "retries": 0,
    "calls": None,
}
LOCOMO = {"_target_": "remem.benchmarks.locomo.LoCoMo", "data": "HERE", "file": "private.txt"}
SECRET = "/k7Gz+canary9Qw4x"
REFUSED = "manifest.json names something that is not allowed"
Remem = Callable[..., tuple[int, str]]
Tamper = Callable[[str, object], None]
Attack = tuple[str, dict[str, Any], tuple[str, ...], str]
"""What is changed: a dotted key, its value, the options of the report, what the error names."""
SERVER = {
    "_target_": "remem.apps.small_model.local_server.LocalServer",
    "engine": "x",
    **dict.fromkeys(("context_tokens", "threads", "start_seconds"), 1),
    **dict.fromkeys(("flash_attention", "cache_prompt"), False),
}
COMMAND = {"_target_": "os.system", "command": "touch HERE/was_run"}
ATTACKS: dict[str, Attack] = {
    "a program is started for the weights of a model": (
        "run.x",
        {**SERVER, "weights": COMMAND},
        ("--with-text",),
        "os.system",
    ),
    "a store is made for the weights of a model": (
        "run.x",
        {
            **SERVER,
            "weights": {
                "_target_": "remem.llm.vector_store.VectorStore",
                **{"store": "HERE/was_run", "model": "m", "dimension": 4},
            },
        },
        ("--with-text",),
        "remem.llm.vector_store.VectorStore",
    ),
    "texts are embedded at an address, with a key": (
        "method.build.retriever.embedder",
        API,
        ("--with-calls",),
        "remem.embed.api.ApiEmbedder",
    ),
    "a class of an admitted package is built for texts": (
        "dataset.build",
        {"_target_": "evil.Data"},
        ("--with-text",),
        "evil.Data",
    ),
    "a class of an admitted package is built for calls": (
        "reader.build",
        {"_target_": "evil.Data"},
        ("--with-calls",),
        "evil.Data",
    ),
    "a private file is read as data": (
        "dataset.build",
        LOCOMO,
        ("--with-text",),
        "dataset.build.data",
    ),
    "data never end": (
        "dataset.build.conversations",
        {"": 100_000_000},
        (),
        "such a size",
    ),
}


@pytest.mark.app("small_model")
@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_a_report_of_a_strangers_run_sends_and_runs_nothing(
    remem: Remem,
    tamper: Tamper,
    asked: tuple[str, list[str]],
    run: Path,
    tmp_path: Path,
    attack: Attack,
) -> None:
    url, sent = asked
    key, value, options, named = attack
    written = json.dumps(value.get("", value)).replace("URL", url).replace("HERE", str(tmp_path))
    tamper(key, json.loads(written))
    code, said = remem("report", str(run), *options)
    assert code == 2 and named in said and REFUSED in said, said
    assert sent == [] and not (tmp_path / "was_run").exists()
    assert not (run / "report.html").exists()
    assert SECRET not in said and "Traceback" not in said


@pytest.mark.parametrize("options", [(), ("--with-text",), ("--with-calls",)])
def test_a_run_of_ones_own_is_reported(remem: Remem, run: Path, options: tuple[str, ...]) -> None:
    code, said = remem("report", str(run), *options)
    assert code == 0, said
    page = (run / "report.html").read_bytes()
    assert (b'"calls":[{' in page) == ("--with-calls" in options)
