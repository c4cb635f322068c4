"""Say what a row of a paper's table needs that is not at hand, and the command that brings it."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from remem.config.run_config import RunConfig
from remem.tables.paper.plan import made
from remem.tables.row_run import RowRun

PROMPTS = "prompts"


@dataclass(frozen=True, slots=True)
class Need:
    """A thing that is missing, in one word, and what to do about it."""

    what: str
    remedy: str


def needs(run: RowRun, *, has_data: bool) -> tuple[Need, ...]:
    """Return what a run that is not finished needs; nothing is sent to a model."""
    if run.impossible:
        return (Need("another method", run.missing),)
    data = () if has_data else (Need("data", f"remem fetch {run.config.dataset}"),)
    return tuple(dict.fromkeys((*data, *_keys(run.config), *_prompts(run.config))))


def _keys(config: RunConfig) -> Iterator[Need]:
    for chat_model in (config.settings.llm.chat_model, config.settings.judge.chat_model):
        variable = chat_model.endpoint.key_variable if chat_model else None
        if variable and not os.environ.get(variable):
            yield Need("key", f"export {variable}=<your key>")


def _prompts(config: RunConfig) -> Iterator[Need]:
    parts = made(config)
    for library in dict.fromkeys(prompt.library for prompt in parts.prompts):
        try:
            config.prompts  # noqa: B018  reads the texts
        except FileNotFoundError:
            yield Need(PROMPTS, f"remem fetch-prompts {library}")
    try:
        config.judge_prompt  # noqa: B018
    except FileNotFoundError:
        yield Need(PROMPTS, f"remem fetch-prompts {parts.judge_prompt}")
