"""Whether the models that a run serves itself can be served, checked before it does anything else.

Without it, a missing package or file would only show at the first call, after the indexing.
"""

from remem.config.instantiation import SharedInstance
from remem.llm.served import ServesModel
from remem.protocols import StopRunError


def check_local_model(choice: str, model: SharedInstance | None) -> None:
    """Check the packages and the weights of a model that some part of the run asks.

    Args:
        choice: What chose the model, such as "llm=smollm2".
        model: The model; it is not checked if no part was built with it.

    Raises:
        StopRunError: It cannot be served here.
    """
    for part in model.made() if model else ():
        if isinstance(part, ServesModel):
            try:
                part.check_server()
            except StopRunError as error:
                raise StopRunError(f"{choice} cannot be served: {error}") from error
