"""Build remem's reader prompt for each question of a benchmark, with the whole history in it."""

from collections.abc import Callable, Iterator, Sequence

from remem.config.instantiation import check_targets, instantiate_checked
from remem.config.run_config import RunConfig, configure
from remem.config.suggestions import did_you_mean
from remem.errors import UsageError
from remem.protocols import Benchmark, ChatMessage, ChatReply, ChatRequest, Parsed, Reader
from remem.run.progress import asked_questions
from remem.run.question_record import recorder_of_run
from remem.types import Question, Usage

Prompt = tuple[ChatMessage, ...]
OVERRIDES = ("method=full_context", "reader=direct", "reader.build.chat_model=null", "judge=rules")


class PromptKeeper:
    """A stand-in for a chat model that keeps the prompt of a request instead of sending it."""

    def __init__(self) -> None:
        self.prompt: Prompt = ()

    def ask(
        self, request: ChatRequest, parse: Callable[[ChatReply], Parsed]
    ) -> tuple[Parsed, Usage]:
        """Keep the prompt, and return a placeholder answer."""
        self.prompt = request.messages
        return parse(ChatReply("Answer: -", (), False, Usage())), Usage()


def full_context_config(overrides: Sequence[str]) -> RunConfig:
    """Return the configuration of the remem run that corresponds to a task.

    Args:
        overrides: Overrides as for `remem run`, such as "dataset=locomo".
    """
    return configure(*OVERRIDES, *overrides)


def prompted_questions(
    config: RunConfig, benchmark: Benchmark, history_ids: Sequence[str]
) -> Iterator[tuple[Question, Prompt]]:
    """Yield each question about the named histories (or all if none is named) with its prompt.

    Raises:
        UsageError: A named history is not in the benchmark, or nothing is recalled for a question.
    """
    histories = asked_questions(benchmark, config.histories, config.limit)
    known = [history.id for history, _ in histories]
    for wrong in sorted({*history_ids} - {*known}):
        near = did_you_mean(wrong, known) or f"; choose one, such as {known[0]}"
        raise UsageError(
            f"unknown history {wrong!r} (number of histories in the dataset: {len(known)}){near}"
        )
    build, keeper = config.settings.reader.build, PromptKeeper()
    check_targets("reader", build, config.packages)
    reader: Reader = instantiate_checked({**build, "chat_model": keeper})
    recorder, make_memory = recorder_of_run(config), config.memory_factory()
    for history, questions in histories:
        if history_ids and history.id not in history_ids:
            continue
        memory = make_memory()
        memory.index(history)
        for question in questions:
            keeper.prompt = ()
            evidence, _ = recorder.handed_over(memory.recall(question.query), reader)
            reader.read(question.query, evidence)
            if not keeper.prompt:
                raise UsageError(f"nothing was recalled for question {question.query.id}")
            yield question, keeper.prompt
