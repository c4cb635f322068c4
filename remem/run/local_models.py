"""Detect runs whose memory uses a model that is too small to extract or to plan."""

from collections.abc import Mapping, Sequence
from typing import Any

from remem.config.conf_files import plumbing_weights
from remem.config.instantiation import SharedInstance, check_targets, nodes
from remem.config.permissions import CHAT_MODEL
from remem.config.run_config import RunConfig
from remem.errors import NotRunError, StopRunError
from remem.llm.endpoint import ServesModel
from remem.run.progress import asked_questions, questions_of
from remem.run.run_result import kept_run

PLUMBING = (
    "plumbing: a model this small cannot extract or plan; these scores only show that its replies "
    "can be read"
)
"""The note shown with the scores of such a run."""


def is_plumbing(config: RunConfig) -> bool:
    """Return whether the extractor or the planner of a run uses a model that is too small for it.

    The weights decide, not the entry of conf/llm that names them.
    """
    if config.settings.llm.identity.weights_sha256 not in plumbing_weights():
        return False
    asking = nodes(config.settings.method.build)
    return any(node["_target_"] == CHAT_MODEL for node in asking)


def check_local_model(choice: str, model: SharedInstance | None) -> None:
    """Check the packages and the weights of a local model that the run uses.

    Args:
        choice: The override that chose the model, such as "llm=smollm2".
        model: The shared model; it is not checked if no part uses it.

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
        StopRunError: A model cannot be served here, and a run has questions left to ask it.
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
    asked = [node for node in nodes(builds) if node["_target_"] == CHAT_MODEL]
    return any("server" in node.get("endpoint", {}) for node in asked)


def _has_questions_left(config: RunConfig) -> bool:
    benchmark = config.build_benchmark()
    try:
        earlier = kept_run(config, benchmark=benchmark)
    except NotRunError:
        return True
    answered = {record.query_id for record in earlier.records if record.status == "ok"}
    asked = questions_of(asked_questions(benchmark, config.histories, config.limit))
    return any(question.query.id not in answered for question in asked)
