"""Compose folders and tables of strangers as the commands do, and check that nothing is granted.

What counts as granted is decided here from the texts of `conf` alone, not by the rules under test.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import PurePath
from random import Random
from typing import Any, NamedTuple
from unittest.mock import patch

import yaml
from fuzzing.configuration_targets import changed_yaml, choice, odd_yaml
from fuzzing.data_targets import folder, write
from fuzzing.harness import Target
from fuzzing.mutation import changed_text, places
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from remem.config.conf_files import conf_folder, conf_values
from remem.config.error_messages import ending
from remem.config.instantiation import OURS, check_targets
from remem.config.run_config import compose_config, run_config
from remem.errors import UsageError
from remem.run.health import check_choices
from remem.tables.table_plan import read_plan, with_rows

CANARY = "canary-of-the-environment"
VARIABLE = "REMEM_FUZZ_PLACE"
GROUPS = (
    *("method", "method", "dataset", "dataset", "embedder", "embedder", "reader", "reader"),
    *("index", "convention", "extractor", "planner", "prompts", "judge", "llm", "paths", "runner"),
)
BUILT = ("dataset", "method", "reader", "judge")
"""The groups whose parts a run builds; the others are parts of these."""
HERE = ("paths", "runner", "logger", "cache")
KEYS = frozenset(
    (
        *("base_url", "uri", "address", "data", "folder", "store", "calls", "log", "questions"),
        *("results", "dir", "subdir", "path", "worker", "package", "environment"),
        *("python_variable", "command", "model", "recorded", "store_tool", "search_tool"),
    )
)
"""Keys whose texts are addresses, places, programs, tools or models."""
EVIL = (
    *("http://127.0.0.1:1/v1", "/etc/passwd", "~/x", "../../x", "evil.txt", "x.yaml"),
    *("AWS_SECRET_ACCESS_KEY", "os.system", "subprocess.Popen", "remem.files.disk.moved_aside"),
    *("remem.embed.api.ApiEmbedder", "remem.llm.openai_endpoint.OpenAIEndpoint", "evil/model"),
    *("${paths.data}", "${..name}", "${.x}", "${reader.name}", "${oc.select:reader.name}"),
    *(f"${{oc.env:{VARIABLE}}}", "${oc.${reader.name}:HOME}", "${oc.decode:${reader.name}}"),
    *("private", 2**40, True, None, ["os"], {"_target_": "os.system", "command": "x"}),
)
DEFAULTS: tuple[Any, ...] = (
    *("../llm/openai_compatible", "/../llm/vllm", "/llm/vllm", "../embedder/api", "api", "served"),
    *("/embedder/api", "api@_here_", "/llm/vllm@embedder", "/paths/default@reader", "hashing"),
    *({"/embedder": "../llm/vllm"}, {"override /llm": "vllm"}, {"override /embedder": "api"}),
    *({"override /embedder": "minilm"}, {"override /reader": "direct"}, {"/../llm": "vllm"}),
    *({"/llm@embedder": "vllm"}, {"/method@paths": "no_memory"}, {"optional /llm": "vllm"}),
    *({"/embedder": "${llm}"}, {"/embedder@build": "served"}, {"override /llm@judge_llm": "vllm"}),
    *("/embedder/${llm.name}", {"/index": ["numpy"]}, {"/runner": "ray"}, {"/prompts": None}),
    *("./api", "mine/../api", "api.yaml", "optional api", {"override /embedder@build": "api"}),
)
OVERRIDES = (
    *("method=remem_i", "method=bm25_messages", "dataset=generated_dialogues", "reader=direct"),
    *("embedder=hashing", "embedder=minilm", "llm=none", "llm=replay", "run.limit=1", "judge=llm"),
    *("method.build.top_k=3", "+reader.x=1", "convention=strict", "index=milvus", "ablation=none"),
    *("dataset.name=mine", "reader.name=os.system", "reader.name=env", "~judge", "~embedder"),
    *("~run.packages", "~run", "~run.model_code", "~paths.results", "~paths", "~reader.name"),
    *("~method.build.top_k", "~dataset.build", "~llm", "~planner=scripted", "~method.build"),
    *("+run.packages=[os]", "++run.packages=[os]", "run.packages=[]", "run={packages: [os]}"),
    *("++run={packages: [os], model_code: [x]}", "+run.packages.0=os", "run.model_code=[x]"),
    *("+paths={results: /tmp/x}", "++paths.results=/tmp/x", "+cache.calls=x", "+hydra.run.dir=/x"),
    *("reader.build._target_=${reader.name}", "++reader.build._target_='${.x}'"),
    *("++reader.build.x=os.system", "+reader.build.prompts={_target_: os.system}"),
    *("embedder.build={_target_: remem.embed.api.ApiEmbedder}", "embedder=../llm/vllm"),
    *("++embedder.build.base_url=http://127.0.0.1:1", "embedder@llm=api", "+embedder@llm=minilm"),
    *(
        "+embedder@reader.build=minilm",
        "llm@judge_llm=vllm",
        "reader=[direct]",
        "reader=direct.yaml",
    ),
    *("dataset.build.data=/etc", "++dataset.build.file=../../etc/passwd", "dataset.build.x=x.txt"),
    *("+dataset.build.data=private", "reader.build.prompt=a b.txt", "judge.build.prompt=p.TXT"),
    *("index.build.uri=x", "++index.build.uri=x", "method.label='${oc.env:HOME}'", "run.limit=1,2"),
    *("+embedder.identity.x=${llm.build.endpoint.base_url}", "method.name=../x", "paths=default"),
    *("+reader.build.rules={reader: {_target_: remem.embed.api.ApiEmbedder, base_url: x}}", "x"),
    *(f"+reader.seen='${{oc.env:{VARIABLE}}}'", "+reader.seen='${oc.${reader.name}:HOME}'"),
)


class Settings(NamedTuple):
    """A YAML file of a group of settings, and whether the command line trusts its folder."""

    group: str
    content: bytes
    is_trusted: bool


def _settings(rng: Random) -> Settings:
    _ours()  # here, where the time that an input takes is not measured
    group = rng.choice(GROUPS)
    tree = choice(f"{group}/{rng.choice(names(group))}")
    if rng.random() < 0.4:  # the whole of another choice, and a part of it anew
        tree = {"defaults": [rng.choice(names(group)), "_self_"], **_one_part(rng, tree)}
    if rng.random() < 0.3:
        entries = [rng.choice(DEFAULTS) for _ in range(rng.randrange(1, 3))]
        tree = {**tree, "defaults": [*tree.get("defaults", []), *entries]}
    if rng.random() < 0.2:
        tree = _interpolated_target(rng, tree)
    header = b""
    if rng.random() < 0.15:
        header, tree = b"# @package _global_\n", {group: tree}
    return Settings(group, header + _written(rng, tree), rng.random() < 0.2)


def _written(rng: Random, tree: Any) -> bytes:
    if rng.random() < 0.4:
        return changed_yaml(rng, tree)
    text = yaml.safe_dump(tree, allow_unicode=True)
    return (odd_yaml(rng, text) if rng.random() < 0.2 else text).encode("utf-8", "replace")


def _one_part(rng: Random, tree: Any) -> dict[str, Any]:
    """Return one value of a tree below its keys; half of the time, replace it by a hostile one."""
    path: list[Any] = []
    node = tree
    while isinstance(node, dict) and node and (not path or rng.random() < 0.8):
        path.append(rng.choice(sorted(node, key=str)))
        node = node[path[-1]]
    part = rng.choice(EVIL) if rng.random() < 0.5 else node
    for key in reversed(path):
        part = {key: part}
    return part if isinstance(part, dict) else {}


def _interpolated_target(rng: Random, tree: Any) -> Any:
    """Move a `_target_` to another key, and refer to that key by an interpolation."""
    copied = yaml.safe_load(yaml.safe_dump(tree))
    targets = [parent for parent, key in places(copied) if key == "_target_"]
    if targets:
        node = rng.choice(targets)
        named = node["_target_"] if rng.random() < 0.3 else rng.choice(EVIL)
        place, text = rng.choice(
            ((node, "${.x}"), (copied, "${reader.x}"), (copied, "${method.x}"))
        )
        place["x"], node["_target_"] = named, text
    return copied


@cache
def names(group: str) -> list[str]:
    """Return the choices that a group has in `conf`."""
    return sorted(file.stem for file in (conf_folder() / group).glob("*.yaml"))


def read_settings(settings: Settings) -> None:
    """Compose a configuration with a folder of one stranger's file: it must grant nothing."""
    place = folder() / "settings"
    for path in place.rglob("*.yaml"):
        path.unlink()
    write(f"settings/{settings.group}/mine.yaml", settings.content)
    put = ["--trust-config", str(place)]
    if not settings.is_trusted:
        put = [f"hydra.searchpath=['file://{place}']"]
    asked = ["llm=openai_compatible", f"{settings.group}=mine"]
    _check_composed([*put, *asked], trusted=settings.is_trusted)


TABLE = {
    "title": "Ours",
    "blocks": [
        {
            "title": "A",
            "overrides": ["dataset=locomo", "run.limit=2"],
            "columns": [{"heading": "F1", "score": "f1", "category": "1"}],
            "rows": [{"overrides": ["method=remem_i", "llm=none"], "note": "ceiling"}],
            "notes": ["n = 2"],
        }
    ],
}


def _table(rng: Random) -> bytes:
    _ours()
    if rng.random() < 0.3:
        return changed_yaml(rng, TABLE)
    tree = yaml.safe_load(yaml.safe_dump(TABLE))
    row = [rng.choice(OVERRIDES) for _ in range(rng.randrange(1, 4))]
    if rng.random() < 0.3:
        at = rng.randrange(len(row))
        row[at] = _built(rng)
    if rng.random() < 0.3:
        at = rng.randrange(len(row))
        row[at] = changed_text(rng, row[at], 2)
    tree["blocks"][0]["rows"][0]["overrides"] = row
    return _written(rng, tree)


def _built(rng: Random) -> str:
    """Return an override of one key of one of our choices."""
    group = rng.choice(GROUPS)
    part: Any = _one_part(rng, choice(f"{group}/{rng.choice(names(group))}"))
    key = rng.choice(("", "+", "++", "~")) + group
    while isinstance(part, dict) and part:
        name, part = next(iter(part.items()))
        key += f".{name}"
    return f"{key}={part}" if rng.random() < 0.5 else f"{key}='{part}'"


def read_table(content: bytes) -> None:
    """Read a table and compose each of its rows: they grant nothing."""
    write("tables/table/mine.yaml", content)
    plan = read_plan("mine", [folder() / "tables"])
    assert plan.row_count == sum(len(block.rows) for block in plan.blocks)
    assert with_rows(plan, ["+remem_s"]).name == "mine+remem_s"
    for block in plan.blocks:
        for row in block.rows[:2]:
            _check_composed([*block.overrides, *row.overrides, "llm=openai_compatible"])


def _check_composed(overrides: Sequence[str], *, trusted: bool = False) -> None:
    """Compose and check a configuration like a run; if it is accepted, it must grant nothing."""
    with patch.dict(os.environ, {VARIABLE: CANARY}):
        try:
            config = run_config(compose_config(overrides))
        except UsageError:
            raise
        except (HydraException, OmegaConfBaseException, ValueError, OSError) as error:
            assert ending(error) is not None  # what Hydra refuses, the command tells
            return
        check_choices(config)
        resolved = config.resolved
        packages = (*OURS, *resolved["run"]["packages"])
        for group in BUILT:
            check_targets(group, resolved[group].get("build"), packages)
        found = list(granted(resolved, trusted=trusted))
    assert not found, f"granted: {found[:3]}"


def granted(resolved: Mapping[str, Any], *, trusted: bool) -> Iterator[str]:
    """Yield what a configuration grants that `conf` does not."""
    for key in ("packages", "model_code"):
        if resolved["run"][key] != []:
            yield f"run.{key}={resolved['run'][key]}"
    for key, text in _leaves("", [resolved[name].get("build") for name in BUILT]):
        if key == "_target_" and text not in own_texts()["_target_"]:
            yield f"a target: {text}"
    for key, value in _leaves("", resolved):
        if key == "trust_remote_code" and value is not False:
            yield "code of a model"
        if CANARY in str(value):
            yield f"the environment at {key}"
        if not trusted and isinstance(value, str) and _is_sensitive(key, value):
            own = own_texts().get(key, frozenset()) | own_texts()["name"]
            if value not in own and value not in _ours():
                yield f"{key}: {value}"
    if not trusted:
        yield from (item for item in HERE if resolved[item] != _defaults()[item])


def _is_sensitive(key: str, text: str) -> bool:
    outside = text.startswith(("/", "~", "\\")) or ".." in PurePath(text).parts
    a_file = key.endswith(("prompt", "prices")) and text.endswith((".txt", ".yaml", ".yml"))
    return key in KEYS or key.endswith("_variable") or "://" in text or outside or a_file


def _leaves(key: str, node: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(node, dict):
        for name, value in node.items():
            yield from _leaves(str(name), value)
    elif isinstance(node, list):
        for value in node:
            yield from _leaves(key, value)
    else:
        yield key, node


@cache
def _defaults() -> Mapping[str, Any]:
    return run_config(compose_config([])).resolved


@cache
def own_texts() -> Mapping[str, frozenset[str]]:
    """Return the texts in the files of `conf`, except tables, by the name of their key."""
    found: dict[str, set[str]] = {}
    for file in conf_folder().rglob("*.yaml"):
        if file.parent.name != "table":
            for key, value in _leaves("", yaml.safe_load(file.read_bytes())):
                if isinstance(value, str):
                    found.setdefault(key, set()).add(value)
    return {key: frozenset(texts) for key, texts in found.items()}


@cache
def _ours() -> frozenset[str]:
    """Return the texts of the defaults, and the addresses and folders of all of `conf`."""
    conf_values("data")  # reads all of conf
    found = {value for _, value in _leaves("", _defaults()) if isinstance(value, str)}
    texts = {item for texts in own_texts().values() for item in texts}
    found |= {item for item in texts if "://" in item}
    for text in (item for item in texts if "${paths." in item):
        found.add(str(OmegaConf.create({**_defaults(), "text": text})["text"]))
    return frozenset(found)


TARGETS = (
    Target("settings: folders", _settings, read_settings, (UsageError,)),
    Target("settings: tables", _table, read_table, (UsageError,)),
)
