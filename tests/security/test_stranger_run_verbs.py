"""A stranger's run: a verb that opens it never builds, reads or writes what its manifest names."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SECRET = "/k7Gz+canary9Qw4x"
REFUSED = "manifest.json names something that is not allowed"
Remem = Callable[..., tuple[int, str]]
Tamper = Callable[[str, object], None]
STORE = {
    "_target_": "remem.llm.vector_store.VectorStore",
    **{"store": "HERE/was_run", "model": "m", "dimension": 4},
}
EVIL = {"_target_": "evil.Data"}


def cached(embedder: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration of an embedder with a cache for its vectors."""
    return {
        "_target_": "remem.embed.cached.CachedEmbedder",
        "embedder": embedder,
        "cache": {**STORE, "store": "HERE/results/cache/calls.sqlite"},
        "portion": 8,
    }


API = {
    "_target_": "remem.embed.api.ApiEmbedder",
    "base_url": "URL",
    "api_key_variable": "AWS_SECRET_ACCESS_KEY",
    "model": "m",
    "dimension": 4,
    "instructions": STORE,
    "sends_role": False,
    "batch_size": 8,
    "timeout_seconds": 5,
    "retries": 0,
    "calls": None,
}
EMBEDDER = "method.build.retriever.embedder"
PAGE = ("compare", "RUN", "RUN", "--html", "HERE/page.html", "--with-text")
BUNDLE = ("bundle", "pack", "RUN", "--allow-stub", "--out", "HERE/packed.remem")
PUSH = ("wandb", "RUN", "--offline", "--allow-stub")
REPORT = ("report", "RUN")
LOCOMO = {"_target_": "remem.benchmarks.locomo.LoCoMo", "data": "HERE", "file": "private.txt"}
COMMAND = {"_target_": "os.system", "command": "touch HERE/was_run"}
SERVER = {
    "_target_": "remem.apps.small_model.local_server.LocalServer",
    "engine": "x",
    **dict.fromkeys(("context_tokens", "threads", "start_seconds"), 1),
    **dict.fromkeys(("flash_attention", "cache_prompt"), False),
    "weights": COMMAND,
}
Case = tuple[tuple[str, ...], str, dict[str, Any] | str | int, str]
"""A command, a key of the manifest, its value, and what the error names."""
CASES: dict[str, Case] = {
    "a bundle imports a package for a reader": (BUNDLE, "reader.build", EVIL, "evil.Data"),
    "a bundle imports a package for an embedder": (BUNDLE, EMBEDDER, cached(EVIL), "evil.Data"),
    "a bundle imports a package for data": (BUNDLE, "dataset.build", EVIL, "evil.Data"),
    "a page imports a package for data": (PAGE, "dataset.build", EVIL, "evil.Data"),
    "a mirror of graphs imports a package": (
        (*PUSH, "--graph"),
        "method.build",
        EVIL,
        "evil.Data",
    ),
    "a mirror of graphs embeds at an address": (
        (*PUSH, "--graph"),
        EMBEDDER,
        {**API, "instructions": None},
        "remem.embed.api.ApiEmbedder",
    ),
    "a bundle makes a store for an embedder": (
        BUNDLE,
        EMBEDDER,
        cached({**API, "instructions": STORE}),
        "remem.llm.vector_store.VectorStore",
    ),
    "an embedder is a program": (
        (*REPORT, "--with-calls"),
        EMBEDDER,
        cached(COMMAND),
        "os.system",
    ),
    "weights of a model are a program": ((*REPORT, "--with-text"), "run.x", SERVER, "os.system"),
    "a report imports a package for texts": (
        (*REPORT, "--with-text"),
        "dataset.build",
        EVIL,
        "evil.Data",
    ),
    "a report imports a package for calls": (
        (*REPORT, "--with-calls"),
        "reader.build",
        EVIL,
        "evil.Data",
    ),
    "a private file is read as data": (
        (*REPORT, "--with-text"),
        "dataset.build",
        LOCOMO,
        "dataset.build.data",
    ),
    "data never end": (REPORT, "dataset.build.conversations", 100_000_000, "so much data"),
    "a bundle copies vectors out of another store": (
        BUNDLE,
        EMBEDDER,
        {
            **cached({**API, "instructions": None}),
            "cache": {**STORE, "store": "HERE/private.sqlite"},
        },
        "private.sqlite",
    ),
    "a bundle copies calls out of another store": (
        BUNDLE,
        "reader.build.chat_model.store",
        "HERE/private.sqlite",
        "private.sqlite",
    ),
}


@pytest.mark.app("small_model")
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_no_verb_builds_what_a_strangers_run_names(
    remem: Remem,
    tamper: Tamper,
    asked: tuple[str, list[str]],
    run: Path,
    tmp_path: Path,
    case: Case,
) -> None:
    url, sent = asked
    command, key, value, named = case
    tamper(key, json.loads(json.dumps(value).replace("URL", url).replace("HERE", str(tmp_path))))
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    arguments = (item.replace("RUN", str(run)).replace("HERE", str(tmp_path)) for item in command)
    code, said = remem(*arguments)
    assert code == 2 and named in said and REFUSED in said, said
    assert {path for path in tmp_path.rglob("*") if path.is_file()} <= before
    assert sent == [] and SECRET not in said and "Traceback" not in said


@pytest.mark.parametrize("command", [REPORT, PAGE, (*PUSH, "--with-text")])
def test_what_is_named_as_prompts_is_a_library_of_prompts(
    remem: Remem, tamper: Tamper, run: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    library = {**STORE, "store": f"{tmp_path}/was_run"}
    judge = {"_target_": "remem.judge.llm_judge.LLMJudge", "prompts": library, "prompt": "x"}
    tamper("judge.build", {**judge, "chat_model": {}})
    arguments = (item.replace("RUN", str(run)).replace("HERE", str(tmp_path)) for item in command)
    code, said = remem(*arguments)
    assert code == 2 and "not a prompt library" in said, said
    assert not list(tmp_path.glob("was_run*")) and "Traceback" not in said


def test_a_package_is_admitted_by_the_command_line(
    remem: Remem, tamper: Tamper, run: Path, tmp_path: Path
) -> None:
    tamper("reader.build", EVIL)
    command = (item.replace("RUN", str(run)).replace("HERE", str(tmp_path)) for item in BUNDLE)
    code, said = remem(*command, "--package", "evil")
    assert (tmp_path / "was_run").exists()
    assert code == 5 and "configuration that this version" not in said, said
