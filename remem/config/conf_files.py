"""Find the files of `conf` and of each app's `conf`, and the classes that these files name.

A `_target_` in remem is valid only if one of these files names it. No configuration needs any other
class, and an untrusted configuration could use one to start a program or to overwrite a file.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from remem.files.opened import read_text
from remem.files.shipped import app_folders, shipped_folder
from remem.files.yaml_text import load_yaml

TARGET = re.compile(r"\b_target_: *([\w.]+)")
NAMED_BY_CODE = (
    *("remem.bundle.gathering.GatheringChatModel", "remem.bundle.gathering.GatheringVectors"),
    *("remem.bundle.replies_and_vectors.StoredVectors", "remem.serve.stub.endpoint.StubEndpoint"),
    *("remem.llm.replay.RecordedServer", "remem.run.imported_answers.imported_part"),
)
"""The classes and functions that the code names to pack, replay, rehearse or import a run."""
GENERATORS = tuple(
    f"remem.benchmarks.{module}."
    for module in (
        "complex_tr.generator",
        "dialogues.generator",
        "dialogues.updates",
        "tot.generator",
    )
)
"""The modules with generators, which make data from a seed and read no data file."""
REPLAY_ENDPOINT = "remem.llm.replay.ReplayEndpoint"
"""The endpoint that only returns the stored replies of another model."""


SCORES_FILE = "scores.yaml"
"""The file of `conf` with all scores."""
OWN_SCORES = "score"
"""The group of users' own scores (+score=<name>), which `conf` itself does not have."""


def conf_folder() -> Path:
    """Return the folder `conf` of the installed package, else of the checkout."""
    return shipped_folder("conf", "conf")


def conf_folders() -> tuple[Path, ...]:
    """Return the folder `conf`, then the `conf` of each app that has one."""
    of_apps = (app / "conf" for app in app_folders())
    return (conf_folder(), *(folder for folder in of_apps if folder.is_dir()))


def all_conf_files() -> Iterator[Path]:
    """Yield every file of every `conf`."""
    for folder in conf_folders():
        yield from folder.rglob("*.yaml")


def conf_groups() -> list[str]:
    """Return the names of the groups in all `conf` folders, in alphabetical order."""
    return sorted({file.parent.name for each in conf_folders() for file in each.glob("*/*.yaml")})


def is_conf_group(name: str) -> bool:
    """Return whether a `conf` has this folder; always True for "score", the users' own group."""
    return name == OWN_SCORES or any((folder / name).is_dir() for folder in conf_folders())


def conf_choices(group: str) -> list[Path]:
    """Return the files of a group from all `conf` folders, sorted by name."""
    files = (file for folder in conf_folders() for file in (folder / group).glob("*.yaml"))
    return sorted(files, key=lambda file: file.name)


def conf_file(group: str, choice: str) -> Path | None:
    """Return the file of a choice in a group; None if there is no such choice."""
    files = (folder / group / f"{choice}.yaml" for folder in conf_folders())
    try:
        return next((file for file in files if file.is_file()), None)
    except OSError:  # a name that is not valid for a file
        return None


@cache
def conf_targets() -> frozenset[str]:
    """Return every class and function that a file of `conf` names."""
    return frozenset(target for text in _contents() for target in TARGET.findall(text))


@cache
def prompt_libraries() -> frozenset[str]:
    """Return the classes and functions that `conf/prompts` names as libraries of prompts."""
    files = conf_choices("prompts")
    return frozenset(str(load_yaml(file).build["_target_"]) for file in files)


@cache
def price_lists() -> frozenset[str]:
    """Return the names of the price lists of `conf/prices`."""
    return frozenset(file.stem for file in conf_choices("prices"))


def is_in_conf(text: str) -> bool:
    """Return True if a file of `conf` contains a text verbatim."""
    return any(text in content for content in _contents())


@cache
def pinned_models() -> frozenset[tuple[str, str]]:
    """Return the name and commit of each model whose own code may run according to `conf`."""
    models = set()
    for file in conf_choices("embedder"):
        embedder = load_yaml(file).build.get("embedder")
        if embedder is not None and embedder.get("trust_remote_code"):
            models.add((str(embedder.model), str(embedder.revision)))
    return frozenset(models)


@cache
def pinned_revision(embedder: str) -> str:
    """Return the revision of the model pinned in `conf/embedder/<embedder>.yaml`."""
    return str(load_yaml(conf_folder() / "embedder" / f"{embedder}.yaml").build.embedder.revision)


@cache
def conf_values(key: str) -> frozenset[str]:
    """Return all texts under keys with this name in the files of `conf` that are not tables."""
    return _texts_by_key().get(key, frozenset())


@cache
def plumbing_weights() -> frozenset[str]:
    """Return the sha256 of the weights of each model that conf/llm marks as `plumbing`.

    Such a model is too small to extract facts or to plan.
    """
    from omegaconf import OmegaConf

    models = [load_yaml(file) for file in conf_choices("llm")]
    return frozenset(
        str(model.build.endpoint.server.weights.sha256)
        for model in models
        if OmegaConf.select(model, "plumbing", default=False)
    )


@cache
def judge_kinds() -> Mapping[str, str]:
    """Return the kind of verdict of each judge whose kind is not that of the paper's judge."""
    judges = [load_yaml(file) for file in conf_choices("judge")]
    return {str(judge.name): str(judge.kind) for judge in judges if "kind" in judge}


@cache
def _contents() -> tuple[str, ...]:
    return tuple(read_text(file) for file in all_conf_files())


@cache
def _texts_by_key() -> Mapping[str, frozenset[str]]:
    from omegaconf import OmegaConf

    by_key: dict[str, set[str]] = {}
    for file in all_conf_files():
        if file.parent.name != "table":
            for key, text in _texts("", OmegaConf.to_container(load_yaml(file))):
                by_key.setdefault(key, set()).add(text)
    return {key: frozenset(texts) for key, texts in by_key.items()}


def _texts(key: str, node: object) -> Iterator[tuple[str, str]]:
    """Yield every text below a node, with its key."""
    if isinstance(node, str):
        yield key, node
    elif isinstance(node, dict):
        for name, value in node.items():
            yield from _texts(str(name), value)
    elif isinstance(node, list):
        for value in node:
            yield from _texts(key, value)
