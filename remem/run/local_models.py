"""Whether the models that a run serves itself can be served, checked before it does anything else.

Without it, a missing package or file would only show at the first call, after the indexing.
"""

from collections.abc import Mapping
from typing import Any

from remem.config.instantiation import SharedPart
from remem.llm.served import ServesModel
from remem.protocols import StopRunError


def check_local_model(group: str, resolved: Mapping[str, Any], model: SharedPart | None) -> None:
    """Check the packages and the weights of a model that some part of the run asks.

    Args:
        group: The group that chose the model: "llm" or "judge_llm".
        resolved: The configuration of the run.
        model: The model; it is not checked if no part was built with it.

    Raises:
        StopRunError: It cannot be served here.
    """
    for part in model.made() if model else ():
        if isinstance(part, ServesModel):
            try:
                part.check_server()
            except StopRunError as error:
                name = resolved[group]["name"]
                raise StopRunError(f"{group}={name} cannot be served: {error}") from error
