"""List the classes of remem and its apps that start programs, ask models or serve models.

An app declares its classes in the file `permissions.yaml` of its folder.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from remem.config.conf_files import conf_choices
from remem.files.shipped import app_folders
from remem.files.yaml_text import load_yaml

MEM0 = "baselines.mem0_memory.Mem0Memory"
GRAPHITI = "baselines.graphiti_memory.GraphitiMemory"
HIPPORAG2 = "baselines.hipporag2.HippoRAG2"
CHAT_MODEL = "remem.llm.chat_model.StoredChatModel"
CACHED_EMBEDDER = "remem.embed.cached.CachedEmbedder"
ASKING = ("remem.embed.api.ApiEmbedder", "remem.llm.openai_endpoint.OpenAIEndpoint")
"""Classes of the core that send texts to an address."""
REACHING_OUT = (
    CACHED_EMBEDDER,
    *("remem.embed.api.ApiEmbedder", "remem.embed.local_models.PackagedMiniLM"),
    "remem.embed.sentence_transformer.SentenceTransformerEmbedder",
    "remem.embed.local_models.RandomWeights",
    *("remem.llm.vector_store.VectorStore", "remem.llm.vector_store.StoredEmbeddingCalls"),
)
"""Classes of the core that load models, send data, or write to a configured place."""


@dataclass(frozen=True, slots=True)
class Permissions:
    """Which classes of the apps start programs, send texts, or serve or load models.

    Attributes:
        started: For each class that starts a program, the arguments that choose the program.
        outside: The classes with a program or address that only the command line or a trusted
            folder may set.
        asking: The classes that send texts to an address.
        serving: The classes that serve a model on this machine.
        loading: The classes that load the weights of such a model.
    """

    started: Mapping[str, tuple[str, ...]]
    outside: tuple[str, ...]
    asking: tuple[str, ...]
    serving: tuple[str, ...]
    loading: tuple[str, ...]

    @property
    def choosing(self) -> frozenset[str]:
        """Return the names of all arguments that choose a program."""
        return frozenset(name for names in self.started.values() for name in names)


@cache
def app_permissions() -> Permissions:
    """Return the permissions that all apps declare, merged."""
    files = (folder / "permissions.yaml" for folder in app_folders())
    return _together([_declared(load_yaml(file)) for file in files if file.is_file()])


def asking_classes() -> tuple[str, ...]:
    """Return the classes that send texts to an address."""
    return (*ASKING, *app_permissions().asking)


def reaching_out() -> frozenset[str]:
    """Return the classes that load or serve a model, send data, or write to a configured place."""
    return frozenset({*REACHING_OUT, *app_permissions().serving, *app_permissions().loading})


@cache
def live_classes() -> frozenset[str]:
    """Return the classes that ask, load or serve a model, or write to a configured place."""
    return frozenset({*reaching_out(), *asking_classes(), CHAT_MODEL})


def is_rival(target: str) -> bool:
    """Return whether a memory class is a rival: another project's memory that asks a model."""
    return target in (MEM0, GRAPHITI, HIPPORAG2) or target in app_permissions().started


def sends_each_message(target: str) -> bool:
    """Return whether a memory class asks a model about each message, not about each episode."""
    return target in (MEM0, GRAPHITI) or target in app_permissions().started


def starts_as_conf_says(node: Mapping[str, Any]) -> bool:
    """Return whether a node starts only programs that a file of `conf/method` starts too."""
    names = app_permissions().started.get(str(node.get("_target_")))
    return names is None or {name: node.get(name) for name in names} in _started_by_conf()


@cache
def _started_by_conf() -> list[dict[str, Any]]:
    started = app_permissions().started
    builds = [load_yaml(file).build for file in conf_choices("method")]
    return [
        {name: build[name] for name in started[build["_target_"]]}
        for build in builds
        if build["_target_"] in started
    ]


def _declared(content: Any) -> Permissions:
    started = {str(target): tuple(names) for target, names in content.started.items()}
    lists = (tuple(content[name]) for name in ("outside", "asking", "serving", "loading"))
    return Permissions(started, *lists)


def _together(declared: Iterable[Permissions]) -> Permissions:
    each = list(declared)
    return Permissions(
        {target: names for app in each for target, names in app.started.items()},
        tuple(name for app in each for name in app.outside),
        tuple(name for app in each for name in app.asking),
        tuple(name for app in each for name in app.serving),
        tuple(name for app in each for name in app.loading),
    )
