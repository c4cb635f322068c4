"""Say what a row of a paper's table lacks, and the command that brings it."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass

from omegaconf import OmegaConf

from remem.config.conf_files import conf_file
from remem.config.instantiation import built
from remem.config.run_config import RunConfig
from remem.embed.served_encoder import (
    PAPER_ENCODERS,
    NotServedError,
    serving_command,
    wanted_encoder,
)
from remem.llm.connecting import needs_key
from remem.run.served_embedder import encoder_at, served_node
from remem.tables.paper.plan import made
from remem.tables.rows import RowOutcome

PROMPTS = "prompts"
OWN = "own"
LOADED = "remem.embed.sentence_transformer.SentenceTransformerEmbedder"


@dataclass(frozen=True, slots=True)
class Need:
    """A thing that is missing, in one word, and what to do about it."""

    what: str
    remedy: str


def needs(run: RowOutcome, *, has_data: bool) -> tuple[Need, ...]:
    """Return what a run that is not finished needs; nothing is sent to a model."""
    if run.impossible:
        return (Need("another method", run.missing),)
    data = () if has_data else (Need("data", f"remem fetch {run.config.dataset}"),)
    encoder = _encoder(run.config) if run.embeds else ()
    return tuple(dict.fromkeys((*data, *_keys(run.config), *_prompts(run.config), *encoder)))


def _keys(config: RunConfig) -> Iterator[Need]:
    for chat_model in (config.settings.llm.chat_model, config.settings.judge.chat_model):
        endpoint = chat_model.endpoint if chat_model else None
        variable = endpoint.key_variable if endpoint and needs_key(endpoint.base_url) else None
        if variable and not os.environ.get(variable):
            yield Need("key", f"export {variable}=<your key>")


def _prompts(config: RunConfig) -> Iterator[Need]:
    parts = made(config)
    try:
        config.prompts  # noqa: B018  reads the texts
    except FileNotFoundError:
        for library in dict.fromkeys(prompt.library for prompt in parts.prompts):
            if library != OWN:
                yield Need(PROMPTS, f"remem fetch-prompts {library}")
    try:
        config.judge_prompt  # noqa: B018
    except FileNotFoundError:
        yield Need(PROMPTS, f"remem fetch-prompts {parts.judge_prompt}")


def _encoder(config: RunConfig) -> Iterator[Need]:
    """Yield what the encoder lacks: its server, or what loads it here."""
    embedder = config.settings.embedder
    served = served_node(config)
    if served is not None:
        try:
            encoder_at(served)
        except NotServedError as error:
            yield Need("encoder", str(error))
        return
    loaded = embedder.build.get("embedder", {})
    if loaded.get("_target_") != LOADED:
        return
    try:
        built(loaded)  # loads no weights
    except ImportError as error:
        yield Need("encoder", _remedy(embedder.name, str(error)))
    else:
        if embedder.name in PAPER_ENCODERS and shutil.which("nvidia-smi") is None:
            where_one_is = f"where one is: {serving_command(embedder.name)}; then here, "
            yield Need("GPU", _remedy(embedder.name, f"{where_one_is}add embedder=served"))


def _remedy(name: str, otherwise: str) -> str:
    """Say that the encoder is served on this machine, if it is, instead of how to bring it."""
    file = conf_file("embedder", "served")
    address = str(OmegaConf.load(file).build.embedder.base_url) if file else ""
    try:
        wanted_encoder(name, address)
    except NotServedError:
        return otherwise
    return f"{name} is served at {address}: add embedder=served"
