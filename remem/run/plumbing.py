"""Detect runs whose memory uses a model that is too small to extract or to plan."""

from remem.config.conf_files import plumbing_weights
from remem.config.instantiation import nodes
from remem.config.permissions import CHAT_MODEL
from remem.config.run_config import RunConfig

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
