"""remem measures the memory of language agents.

`import remem` is the only import that a program needs. A name is loaded when it is first used, so
the import itself takes no time.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from remem.config.run_config import configure
    from remem.metrics.scores import summarise
    from remem.passages import message_passage
    from remem.protocols import Memory
    from remem.run.experiment import run_experiment
    from remem.tables.evaluate import evaluate
    from remem.types import Evidence, History, Message, Passage, Query

__all__ = [
    "Evidence",
    "History",
    "Memory",
    "Message",
    "Passage",
    "Query",
    "configure",
    "evaluate",
    "message_passage",
    "run_experiment",
    "summarise",
]

_PLACES = {
    "configure": "remem.config.run_config",
    "evaluate": "remem.tables.evaluate",
    "message_passage": "remem.passages",
    "run_experiment": "remem.run.experiment",
    "summarise": "remem.metrics.scores",
    "Memory": "remem.protocols",
    **dict.fromkeys(("Evidence", "History", "Message", "Passage", "Query"), "remem.types"),
}


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module 'remem' has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
