"""The local models of a run, and its embedder if `remem serve embeddings` serves it.

`is_plumbing` says whether a run uses a model that is too small to extract or to plan.
"""

import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from remem.config.conf_files import plumbing_weights
from remem.config.fingerprint import digest
from remem.config.instantiation import SharedInstance, check_targets, nodes
from remem.config.permissions import CHAT_MODEL
from remem.config.run_config import RunConfig
from remem.embed.served_encoder import ServedEncoder, wanted_encoder
from remem.errors import NobodyServesError, NotRunError, NotServedError, StopRunError
from remem.files.adapters import adapter, first_fault, parsed
from remem.files.disk import write_whole, writing
from remem.files.opened import read_file
from remem.llm.endpoint import ServesModel
from remem.run.progress import asked_questions, questions_of
from remem.run.run_manifest import RunManifest
from remem.run.run_result import kept_run

PLUMBING = (
    "plumbing: a model this small cannot extract or plan; these scores only show that its replies "
    "can be read"
)
"""The note shown with the scores of a run that uses such a model."""


def is_plumbing(config: RunConfig) -> bool:
    """Return whether the model of a run's extractor or planner is too small for that task.

    The model is recognised by its weights, not by the name of its entry in conf/llm.
    """
    if config.settings.llm.identity.weights_sha256 not in plumbing_weights():
        return False
    asking = nodes(config.settings.method.build)
    return any(node["_target_"] == CHAT_MODEL for node in asking)


def check_local_model(choice: str, model: SharedInstance | None) -> None:
    """Check the packages and the weights of a local model that the run uses.

    Args:
        choice: The override that chose the model, such as "llm=smollm2".
        model: The shared model; it is not checked if no component has built it.

    Raises:
        StopRunError: The model cannot be served on this machine.
    """
    for part in model.built() if model else ():
        if isinstance(part, ServesModel):
            try:
                part.check_server()
            except StopRunError as error:
                raise StopRunError(f"{choice} cannot be served: {error}") from error


def check_local_models(configs: Sequence[RunConfig]) -> None:
    """Check the local models that any of these runs will call, before the first run starts.

    Raises:
        StopRunError: A model that an unfinished run needs cannot be served on this machine.
    """
    checked: list[Mapping[str, Any]] = []
    for config in configs:
        model = config.chat_model
        if model is None or model.build in checked or not _asks_local_model(config):
            continue
        if _has_questions_left(config):
            check_targets("llm", model.build, config.packages)
            model.get()
            check_local_model(f"llm={config.settings.llm.name}", model)
            checked.append(model.build)


def _asks_local_model(config: RunConfig) -> bool:
    builds = [config.settings.method.build, config.settings.reader.build]
    chat_models = [node for node in nodes(builds) if node["_target_"] == CHAT_MODEL]
    return any("server" in node.get("endpoint", {}) for node in chat_models)


def _has_questions_left(config: RunConfig) -> bool:
    benchmark = config.build_benchmark()
    try:
        earlier = kept_run(config, benchmark=benchmark)
    except NotRunError:
        return True
    answered = {record.query_id for record in earlier.records if record.status == "ok"}
    questions = questions_of(asked_questions(benchmark, config.histories, config.limit))
    return any(question.query.id not in answered for question in questions)


log = logging.getLogger(__name__)

API_EMBEDDER = "remem.embed.api.ApiEmbedder"


def served_node(config: RunConfig) -> Mapping[str, Any] | None:
    """Return the embedder's configuration if the embedder uses a server of remem, else None."""
    return next(
        (
            node
            for node in nodes(config.settings.method.build)
            if node["_target_"] == API_EMBEDDER and node.get("sends_role")
        ),
        None,
    )


def ask_server(config: RunConfig) -> ServedEncoder | None:
    """Return the encoder that the embedder's server serves; None if the run needs no server.

    If no server answers, return the encoder of the stored vectors. These may suffice for
    the run.

    Raises:
        NotServedError: No server answers and no vectors are stored, or the server's encoder differs
            from the configured one or from that of the stored vectors.
    """
    node = served_node(config)
    if node is None:
        return None
    note = config.results / "cache" / "encoders" / f"{digest(str(node['model']))}.json"
    noted = _read(note)
    try:
        encoder = encoder_at(node)
    except NobodyServesError as error:
        if noted is None:
            raise
        log.info("%s; until then, only texts with stored vectors can be searched", error)
        return noted
    if noted is None:
        _write(note, encoder)
    elif noted != encoder:
        raise NotServedError(
            f"the server has {encoder}, but the stored vectors are of {noted} ({note}); serve the "
            f"earlier encoder again, or set paths.results to another folder"
        )
    return encoder


def encoder_at(node: Mapping[str, Any]) -> ServedEncoder:
    """Return the encoder that the server of an embedder reports.

    Raises:
        NotServedError: No server answers, or its encoder is not the configured one.
    """
    key = os.environ.get(node["api_key_variable"] or "", "")
    return wanted_encoder(str(node["model"]), str(node["base_url"]), key)


def encoder_of_run(config: RunConfig, manifest: RunManifest) -> ServedEncoder | None:
    """Return the encoder that a run's server reported, or else the configured encoder.

    Return None if the run uses no server of remem for embeddings, or if there is no run yet.
    """
    node = served_node(config)
    if manifest.encoder is not None or node is None or not manifest.config:
        return manifest.encoder
    return ServedEncoder(str(node["model"]))


def _read(note: Path) -> ServedEncoder | None:
    """Read which encoder made the stored vectors; return None if no encoder is noted."""
    if not note.exists():
        return None
    try:
        return parsed(ServedEncoder, read_file(note))
    except ValidationError as error:
        raise ValueError(f"{note}: {first_fault(error)}; delete the file") from error


def _write(note: Path, encoder: ServedEncoder) -> None:
    with writing(note):
        note.parent.mkdir(parents=True, exist_ok=True)
    write_whole(note, adapter(ServedEncoder).dump_json(encoder))
