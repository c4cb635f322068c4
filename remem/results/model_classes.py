"""Classify the questions of a dataset into temporal classes with a model, one call per question.

The classes belong to the dataset, not to a run, and are stored in a file per model and prompt. It
has the ids and checksums of the questions instead of their texts, for licence reasons.
"""

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from remem.config.fingerprint import digest
from remem.config.instantiation import UsageError, check_targets
from remem.config.run_config import RunConfig
from remem.files.whole_file import write_whole
from remem.llm.other_server import check_same_server
from remem.paper.cases import text_sum
from remem.prompts.library import load
from remem.prompts.replies import json_objects, whole_text
from remem.protocols import (
    ChatModel,
    ChatReply,
    ChatRequest,
    ModelUnavailableError,
    RejectedReplyError,
)
from remem.results.temporal_classes import CLASSES, TemporalClass
from remem.run.interruption import stopping_at_interrupt
from remem.run.progress import OnProgress, Progress, not_shown

PROMPT = "temporal_class.v1"
REPLY_SCHEMA = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "temporal_class": {"type": "string", "enum": list(CLASSES)},
    },
    "required": ["reason", "temporal_class"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class ClassLine:
    """A line of the file: the class of a question, the checksum of its text, and who told it."""

    query_id: str
    question_sum: str
    temporal_class: TemporalClass
    server: str = ""


def classes_file(config: RunConfig) -> Path:
    """Return the path of the file with the classes by the configured model."""
    asked = {"llm": config.without_paths["llm"].get("build"), "prompt": load(PROMPT).sha256}
    name = f"temporal_classes.{config.llm}-{digest(asked)}.jsonl"
    return config.results / "cache" / "temporal_classes" / config.dataset / name


def read_classes(
    path: Path, questions: Mapping[str, str], server: str = ""
) -> dict[str, TemporalClass]:
    """Return the stored classes by query id; classes of questions with another text are left out.

    Args:
        path: The path by `classes_file`; without the file there are no classes.
        questions: The texts of questions by query id.
        server: The address that the model is asked at; "" for any.

    Raises:
        OtherServerError: They came from another server.
    """
    if not path.exists():
        return {}
    found = [
        _line(line, f"{path}:{number}")
        for number, line in enumerate(path.read_bytes().splitlines(), start=1)
    ]
    for item in found:
        check_same_server(item.server, server, f"the classes in {path}")
    return {
        item.query_id: item.temporal_class
        for item in found
        if text_sum(questions.get(item.query_id, "")) == item.question_sum
    }


def write_classes(
    path: Path,
    questions: Mapping[str, str],
    classes: Mapping[str, TemporalClass],
    server: str = "",
) -> None:
    """Write the classes that a server told to a file, in the order of the questions."""
    lines = (
        _adapter().dump_json(ClassLine(query, text_sum(text), classes[query], server)) + b"\n"
        for query, text in questions.items()
        if query in classes
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, b"".join(lines))


def tell_classes(
    config: RunConfig,
    questions: Mapping[str, str],
    on_progress: OnProgress = not_shown,
) -> dict[str, TemporalClass]:
    """Ask the configured model for the class of every question, and return classes by query id.

    Questions without a valid reply are left out. Repeated calls are answered by the call store.

    Raises:
        UsageError: No model is configured.
    """
    if config.chat_model is None:
        raise UsageError(
            f"llm={config.llm} cannot classify questions; choose another one: remem list llm"
        )
    check_targets("llm", config.chat_model.build, config.packages)
    model: ChatModel = config.chat_model.get()
    with stopping_at_interrupt(config.chat_model):
        told = _asked(model, dict.fromkeys(questions.values()), config.workers, on_progress)
    return {query: told[text] for query, text in questions.items() if text in told}


def class_by_model(model: ChatModel, question: str) -> TemporalClass:
    """Ask a model for the temporal class of a question.

    Raises:
        ModelUnavailableError: The model gave no valid reply.
    """
    request = ChatRequest("judge", load(PROMPT).render(question=question), REPLY_SCHEMA)
    told, _ = model.ask(request, parse_class)
    return told


def parse_class(reply: ChatReply) -> TemporalClass:
    """Return the class that a reply names.

    Raises:
        RejectedReplyError: The reply names no known class, or several.
    """
    objects = json_objects(whole_text(reply))
    named = {repr(item["temporal_class"]) for item in objects if "temporal_class" in item}
    found = [class_name for class_name in CLASSES if named == {repr(class_name)}]
    if not found:
        raise RejectedReplyError(f"expected one of {', '.join(CLASSES)}, found {sorted(named)}")
    return found[0]


def _asked(
    model: ChatModel, texts: Iterable[str], workers: int, on_progress: OnProgress
) -> dict[str, TemporalClass]:
    told = {}
    with ThreadPoolExecutor(workers) as pool:
        asked = {pool.submit(class_by_model, model, text): text for text in texts}
        try:
            on_progress(Progress(0, len(asked)))
            for done, future in enumerate(as_completed(asked), start=1):
                on_progress(Progress(done, len(asked)))
                if not isinstance(future.exception(), ModelUnavailableError):
                    told[asked[future]] = future.result()
        finally:
            pool.shutdown(cancel_futures=True)
    return told


def _line(line: bytes, where: str) -> ClassLine:
    try:
        return _adapter().validate_json(line)
    except ValidationError as error:
        reason = error.errors()[0]["msg"]
        raise ValueError(
            f"{where}: not a class ({reason}); remove the file to classify again"
        ) from (error)


@cache
def _adapter() -> TypeAdapter[ClassLine]:
    return TypeAdapter(ClassLine)
