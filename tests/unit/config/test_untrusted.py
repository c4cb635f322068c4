"""The rules for a stranger's settings: which are plain values, and which need permission."""

from typing import Any

import pytest

from remem.config.conf_files import GENERATORS, all_conf_files, conf_values
from remem.config.untrusted import KEYS, refused_choice, refused_settings
from remem.config.untrusted_overrides import refused_override

API = "remem.embed.api.ApiEmbedder"


def kinds(tree: object, prefix: str = "", *, trusted: bool = False) -> list[str]:
    return sorted(
        refused_setting.kind for refused_setting in refused_settings(tree, prefix, trusted=trusted)
    )


def test_what_is_no_plain_setting_is_refused() -> None:
    cases = [
        ("embedder", {"build": {"base_url": "x"}}, "address"),
        ("dataset", {"build": {"source": "ftp://x"}}, "address"),
        ("embedder", {"build": {"api_key_variable": "HOME"}}, "variable"),
        ("dataset", {"build": {"data": "mine"}}, "place"),
        ("dataset", {"build": {"file": "/etc/passwd"}}, "place"),
        ("dataset", {"build": {"file": "../x"}}, "place"),
        ("dataset", {"build": [{"x": ["~/x"]}]}, "place"),
        ("reader", {"build": {"prompt": "mine.txt"}}, "place"),
        ("method", {"build": {"environment": {"NODE_OPTIONS": "x"}}}, "program"),
        ("method", {"build": {"environment": {"DEBUG": 1}}}, "program"),
        ("method.build.environment.A", "x", "program"),
        ("method", {"build": {"address": "http://127.0.0.1:1/mcp"}}, "address"),
        ("method", {"build": {"store_tool": "delete_all"}}, "tool"),
        ("run", {"packages": ["os"]}, "package"),
        ("run", {"packages": {"os": 1}}, "package"),
        ("run", {"packages": "${a.b}"}, "package"),
        ("run", {"packages": {}}, "package"),
        ("run.packages", {"pip": 1}, "package"),
        ("run.packages.pip", 1, "package"),
        ("run", {"model_code": ["x"]}, "code"),
        ("embedder", {"build": {"trust_remote_code": True}}, "code"),
        ("embedder", {"build": {"_target_": API}}, "model"),
        ("embedder", {"build": {"model": "someone/model"}}, "model"),
        ("llm", {"build": {"budget_dollars": 5}}, "model"),
        ("method", {"build": {"chat_model": {"ledger": "x"}}}, "place"),
        ("", {"judge_llm": {"name": "x"}}, "model"),
        ("", {"a": "${oc.env:HOME}"}, "environment"),
        ("", {"a": "${b}${c}"}, "mixture"),
        ("", {"paths": {"results": "x"}}, "here"),
        ("", {"paths.results": "x"}, "here"),
        ("", {"runner": {"workers": 2}}, "here"),
        ("", {"hydra": {"run": 1}}, "hydra"),
        ("", {"x": {"_target_": f"{GENERATORS[0]}B", "size": 10**7}}, "size"),
    ]
    for prefix, tree, kind in cases:
        assert kinds(tree, prefix) == [kind]


def test_plain_settings_pass() -> None:
    cases = [
        ("method", {"name": "mine", "label": "Mine (${planner.name})", "build": {"top_k": 3}}),
        ("method", {"build": {"_target_": "my_memory.Words", "chat_model": "${llm.build}"}}),
        ("dataset", {"build": {"data": "${paths.data}", "file": "locomo10.json"}}),
        ("reader", {"build": {"prompt": "reader_direct.v1", "words": "a, b: c\nd"}}),
        ("run", {"packages": [], "limit": 3, "health": "warn"}),
        ("embedder", {"build": {"trust_remote_code": False, "dimension": 4}}),
        ("method", {"build": {"date": "2023-05-08", "share": 0.5, "no": None}}),
    ]
    for prefix, tree in cases:
        assert kinds(tree, prefix) == []


def test_what_yaml_refers_to_again_is_judged_at_each_of_its_keys() -> None:
    shared: list[Any] = ["os"]
    assert kinds({"a": shared, "run": {"packages": shared}}) == ["package"]
    shared = {"results": 1}
    assert kinds({"a": shared, "paths": shared}) == ["here"]


def test_trust_grants_all_but_code_packages_hydra_and_the_environment() -> None:
    tree = {
        "paths": {"results": "${oc.env:HOME}"},
        "llm": {"build": {"trust_remote_code": True, "base_url": "http://x"}},
        "run": {"packages": ["x"]},
        "hydra": {"x": 1},
        "dataset": {"build": {"log": "/home/ann/log.txt"}},
    }
    assert kinds(tree, trusted=True) == ["code", "environment", "hydra", "package"]


@pytest.mark.app("small_model")
def test_an_override_is_judged_by_its_key_and_its_choice() -> None:
    cases = [
        ("embedder=api", "model"),
        ("embedder=nv_embed_v2", "model"),
        ("llm=gpt-4.1-mini-2025-04-14", "model"),
        ("llm=smollm2", "model"),
        ("reader.build.x={_target_: remem.apps.small_model.local_server.LocalServer}", "model"),
        ("reader.build.x={_target_: remem.apps.small_model.weights.WeightsFile}", "model"),
        ("llm@judge_llm=none", "model"),
        ("llm@llm.recorded=vllm", "model"),
        ("+reader@paths=direct", "elsewhere"),
        ("logger=wandb", "here"),
        ("hydra/launcher=joblib", "hydra"),
        ("method=../x", "place"),
        ("method=a,b", "mixture"),
        ("dataset.build={log: x}", "place"),
        ("++paths.results=x", "here"),
        ("+table=offline", "elsewhere"),
        ("+run.packages.pip=1", "package"),
        ("~run.packages", "package"),
        ("~run.packages=[]", "package"),
        ("~run.model_code", "code"),
    ]
    for override, kind in cases:
        refused = refused_override(override)
        assert refused is not None and refused.kind == kind


def test_trust_grants_an_override_all_but_hydra_and_code() -> None:
    assert refused_override("llm=vllm", trusted=True) is None
    assert refused_override("logger=wandb", trusted=True) is None
    for override, kind in (("hydra/launcher=joblib", "hydra"), ("~run.model_code", "code")):
        refused = refused_override(override, trusted=True)
        assert refused is not None and refused.kind == kind


def test_overrides_that_ask_nothing_pass() -> None:
    cases = [
        *("method=remem_i", "llm=none", "llm=replay", "embedder=hashing", "embedder=minilm"),
        *("embedder=nv_embed_random", "method.label='BM25, dated'", "run.limit=3", "method=mine"),
        *("convention.run.embed_date=true", "dataset.build.conversations=1", "method=mem0"),
    ]
    for override in cases:
        assert refused_override(override) is None


def test_every_key_of_conf_with_an_address_or_a_folder_is_known() -> None:
    """A new key with an address or a folder is restricted only if it is listed."""
    import yaml

    found: dict[str, str] = {}

    def walk(key: str, node: object) -> None:
        for name, value in node.items() if isinstance(node, dict) else ():
            walk(str(name), value)
        for value in node if isinstance(node, list) else ():
            walk(key, value)
        if isinstance(node, str) and ("://" in node or node.startswith(("${paths.", "${cache."))):
            found.setdefault(key, node)

    for file in all_conf_files():
        if file.parent.name not in ("table", "prices", "paths"):
            walk("", yaml.safe_load(file.read_bytes()))
    assert {"base_url", "store", "folder"} <= set(found) <= set(KEYS)
    assert "OPENAI_API_KEY" in conf_values("api_key_variable")


def test_a_group_that_leads_elsewhere_and_a_choice_that_is_no_name_are_refused() -> None:
    for choice in ("../x", "/x", "a b", "${x}", "", 3):
        assert refused_choice("method", None, choice) is not None
    for group in ["..", "../..", "convention/..", ".", "/etc", "a//b", "~"]:
        refused = refused_choice(group, None, "evil")
        assert refused is not None and refused.kind == "place"
