"""Every language model of conf/llm is composed and built without a key and without a network."""

import socket
from pathlib import Path
from typing import Any

import pytest

from remem.config.conf_files import conf_folder
from remem.config.run_config import compose_config, run_config
from remem.llm.budget import read_price
from remem.llm.chat_model import StoredChatModel

NAMES = sorted(path.stem for path in (conf_folder() / "llm").glob("*.yaml"))
MODELS = [name for name in NAMES if name not in ("none", "replay")]
ASKED = ("reader=direct", "extractor=llm", "planner=llm", "method=remem_i")


def choices(name: str) -> list[str]:
    needed = {
        "replay": ["llm@llm.recorded=vllm"],
        "gguf": ["llm.path=model.gguf", f"llm.sha256={'0' * 64}"],
    }
    return [f"llm={name}", *needed.get(name, [])]


def built(tmp_path: Path, *overrides: str) -> tuple[Any, Any]:
    config = run_config(compose_config([*ASKED, f"paths.results={tmp_path}", *overrides]))
    reader: Any = config.build_reader()
    return config, reader._chat_model


@pytest.mark.parametrize("name", [name for name in NAMES if name != "none"])
def test_a_model_is_built_without_key_and_network_and_has_a_price_if_it_has_a_budget(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr(socket.socket, "connect", None, raising=False)  # whoever calls it fails
    config, model = built(tmp_path, *choices(name))
    assert isinstance(model, StoredChatModel)
    build = config.resolved["llm"]["build"]
    if build["budget_dollars"] is not None:
        assert read_price(build["prices"], build["endpoint"]["model"]).output > 0


@pytest.mark.parametrize("name", MODELS)
def test_limits_name_no_run_and_a_repeat_names_its_own(name: str) -> None:
    limits = "llm.build.endpoint.limits"
    changed = (f"{limits}.requests_per_minute=5", f"{limits}.in_flight=2")
    plain, limited, repeated = (
        run_config(compose_config([*ASKED, *choices(name), *more]))
        for more in ((), changed, ("run.repeat=1",))
    )
    assert limited.fingerprint([]) == plain.fingerprint([])
    assert repeated.fingerprint([]) != plain.fingerprint([])
    assert repeated.resolved["llm"]["build"]["repeat"] == 1


COSTS = {"threads", "start_seconds", "processes", "timeout_seconds", "tries", "limits"}
"""Settings of a served model that change no reply (tests/apps/small_model/test_smollm2.py)."""


@pytest.mark.app("small_model")
@pytest.mark.parametrize("name", ["gguf", "smollm2"])
def test_each_setting_of_a_served_model_that_may_shape_replies_names_the_run(
    name: str, tmp_path: Path
) -> None:
    config, _ = built(tmp_path, *choices(name))
    llm = config.resolved["llm"]
    server = llm["build"]["endpoint"].pop("server")
    settings = {*llm["build"]["endpoint"], *server} - {"_target_", "weights"}
    assert settings - COSTS <= {*llm["identity"]}


def test_a_repeat_of_a_run_that_asks_no_model_is_the_same_run() -> None:
    plain, repeated = (run_config(compose_config(more)) for more in ([], ["run.repeat=1"]))
    assert repeated.fingerprint([]) == plain.fingerprint([])


def test_a_replay_is_of_the_repeat_that_was_recorded(tmp_path: Path) -> None:
    recorded, _ = built(tmp_path, "llm=vllm", "run.repeat=2")
    replayed, _ = built(tmp_path, *choices("replay"), "run.repeat=2")
    assert replayed.fingerprint([]) == recorded.fingerprint([])
