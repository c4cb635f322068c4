"""Classify questions into the paper's eight temporal classes (Performance by Temporal Category).

The paper classified the questions with a model; here, rules or a model do so. A rule is a pattern:
the class of a question is the first in RULES whose pattern occurs in the question. A model is asked
once per question. Its classes belong to the dataset, not to a run, and are stored in a file per
model and prompt. For licence reasons, the file has the ids and checksums of the questions, not
their texts.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from remem.config.fingerprint import digest
from remem.config.instantiation import check_targets
from remem.config.run_config import RunConfig
from remem.errors import ModelUnavailableError, RejectedReplyError, UsageError
from remem.files.adapters import adapter, parse_line
from remem.files.disk import write_whole
from remem.files.opened import read_file
from remem.llm.http_client import check_same_server
from remem.prompts.library import load
from remem.prompts.replies import json_objects, object_schema, whole_text
from remem.protocols import ChatModel, ChatReply, ChatRequest
from remem.run.interruption import stopping_at_interrupt
from remem.run.progress import OnProgress, Progress, not_shown

TemporalClass = Literal[
    "existence_check",
    "event_timing",
    "event_attributes",
    "order",
    "duration",
    "aggregation",
    "other",
    "non_temporal",
]
CLASSES: tuple[TemporalClass, ...] = get_args(TemporalClass)
TEMPORAL = "when"
"""The prefix of the categories in results/paper that consist of these classes."""

UNIT = r"(?:second|minute|hour|day|night|week|weekend|month|year|decade)s?"
MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?"
)
SEASON = r"(?:spring|summer|autumn|fall|winter|christmas|thanksgiving|halloween|easter|new year)"
WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
DATE = (
    rf"\b{MONTH}(?:\s+\d{{1,2}}\b|,?\s+\d{{4}}\b)|\b\d{{1,2}}(?:st|nd|rd|th)?(?:\s+of)?\s+{MONTH}\b"
    rf"|\b(?:in|of|during|since|until|by|early|mid|late|last|next)\b[\s-]+{MONTH}\b"
    r"|\b(?:19|20)\d\d\b"
)
RELATIVE = (
    rf"\b(?:last|this|next|past|previous|coming)\s+(?:few\s+|\w+\s+)?(?:{UNIT}|{SEASON}|{WEEKDAY})\b"
    rf"|\b{UNIT}\s+ago\b|\b(?:yesterday|today|tonight|tomorrow)\b|\bon\s+{WEEKDAY}\b"
    rf"|\b(?:in|over|during)\s+the\s+{SEASON}\b|\b(?:recently|lately)\b"
)
FRAME = rf"{DATE}|{RELATIVE}|\b(?:during|throughout)\b"
"""An expression that sets the time of an event: a date, a relative time, or another event."""

WHEN = (
    r"^(?:and\s+)?(?:since\s+|until\s+)?when\b|\band\s+when\s+(?:did|was|were|is|will)\b"
    rf"|\b(?:what|which)\s+(?:\w+\s+)?(?:date|time|century|{UNIT}|{SEASON})\b(?!\s+(?:of\s+day|frame))"
    rf"|^what\s+(?:is|was)\s+the\s+(?:exact\s+)?(?:date|time|day|month|year)\b"
)
LENGTH = (
    r"\bhow\s+long\b|\bhow\s+much\s+time\b|\blength\s+of\s+time\b"
    rf"|\bhow\s+many\s+(?:more\s+)?{UNIT}\s+(?!(?:a|per|each|every)\b)|\bwhat\s+is\s+the\s+duration\b"
)
COUNT_OF_EVENTS = (
    r"\bhow\s+(?:often|frequently)\b|\bhow\s+many\s+times\b|\bnumber\s+of\s+times\b"
    r"|\bhow\s+many\s+(?:(?!does\b|do\b)[\w'-]+\s+){1,6}?(?:has|have|had|did|was|were|will)\b"
)
SEQUENCE = (
    r"(?<!look )(?<!looks )(?<!looked )(?<!looking )\b(?:after|before|while|prior\s+to)\b"
    rf"(?!\s+(?:the\s+)?(?:\w+\s+of\s+)?(?:{DATE}))"  # "before 3 May" only limits it to a time
    r"|\bat\s+the\s+same\s+time\b|\bas\s+soon\s+as\b"
    r"|\b(?:earlier|earliest|latest|most\s+recent|chronological|subsequently)\b"
    r"|\b(?:did|do|does|happened|come|came|start|started)\b[^?]*\b(?:first|last|next)\s*\?"
    r"|\b(?:which|who|what|where)\b[^?]*\bfirst\b[^?]*\bor\b"
)
TRUTH = r"^(?:did|does|do|has|have|had|is|are|was|were|will|would|could|can)\b"
PROSPECT = (
    r"\b(?:soon|eventually|some\s?day|in\s+the\s+(?:near\s+)?future|any\s?more|any\s+longer)\b"
)

PATTERNS: Mapping[TemporalClass, str] = {
    "duration": LENGTH,
    "aggregation": COUNT_OF_EVENTS,
    "event_timing": WHEN,
    "existence_check": rf"{TRUTH}(?=.*(?:{FRAME}))",
    "order": SEQUENCE,
    "event_attributes": FRAME,
    "other": PROSPECT,
}
RULES = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in PATTERNS.items()}


PROMPT = "temporal_class.v1"
WORD = re.compile(r"\w+")
ARTICLES = {"a", "an", "the"}
SUM_LENGTH = 16
"""The number of hexadecimal digits that are kept of a sha256."""
REMEDY = "remove the file to classify again"
REPLY_SCHEMA = object_schema(
    {
        "reason": {"type": "string"},
        "temporal_class": {"type": "string", "enum": list(CLASSES)},
    }
)


@dataclass(frozen=True, slots=True)
class ClassLine:
    """A line of a classes file: a question's class, its checksum, and the server of the model."""

    query_id: str
    question_sum: str
    temporal_class: TemporalClass
    server: str = ""


def text_sum(text: str) -> str:
    """Return a checksum of a text that ignores case, articles, spaces and punctuation.

    >>> text_sum("The weekend after 3June, 2022.") == text_sum("the weekend after 3 June 2022")
    True
    """
    words = WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    joined = "".join(word for word in words if word not in ARTICLES)
    return hashlib.sha256(joined.encode()).hexdigest()[:SUM_LENGTH]


def class_by_rules(question: str) -> TemporalClass:
    """Return the class of a question by rules; "non_temporal" if no pattern matches.

    >>> class_by_rules("How long did the ferry take?"), class_by_rules("Who steers the ferry?")
    ('duration', 'non_temporal')
    """
    words = " ".join(question.split())
    return next((name for name, pattern in RULES.items() if pattern.search(words)), "non_temporal")


def is_temporal(category: str) -> bool:
    """Return whether a category of the paper's tables is made up of temporal classes."""
    return category == TEMPORAL or category.startswith((f"{TEMPORAL}:", f"{TEMPORAL}_"))


def in_category(category: str, name: TemporalClass) -> bool:
    """Return whether a class belongs to a category of the paper's tables.

    "when" contains all temporal classes, "when_not" only "non_temporal", "when:order" one class.

    >>> [in_category(one, "order") for one in ("when", "when_not", "when:order", "when:other")]
    [True, False, True, False]
    """
    if category == TEMPORAL:
        return name != "non_temporal"
    return name == category.removeprefix(f"{TEMPORAL}:").replace(f"{TEMPORAL}_not", "non_temporal")


def classes_file(config: RunConfig) -> Path:
    """Return the path of the file with the configured model's classes."""
    model_and_prompt = {
        "llm": config.without_paths["llm"].get("build"),
        "prompt": load(PROMPT).sha256,
    }
    name = f"temporal_classes.{config.llm}-{digest(model_and_prompt)}.jsonl"
    return classes_folder(config.results) / config.dataset / name


def classes_folder(results: Path) -> Path:
    """Return the folder of the classes that models assigned to the questions of all datasets."""
    return results / "cache" / "temporal_classes"


def read_classes(
    path: Path, questions: Mapping[str, str], server: str = ""
) -> dict[str, TemporalClass]:
    """Return the stored classes by query id; a class is left out if the question text has changed.

    Args:
        path: The path from `classes_file`; if there is no such file, the result is empty.
        questions: The texts of questions by query id.
        server: The address of the model's server; "" for any.

    Raises:
        OtherServerError: The classes came from another server.
    """
    if not path.exists():
        return {}
    lines = [
        parse_line(ClassLine, line, f"{path}:{number}", "a class", REMEDY)
        for number, line in enumerate(read_file(path).splitlines(), start=1)
    ]
    for item in lines:
        check_same_server(item.server, server, f"the classes in {path}")
    return {
        item.query_id: item.temporal_class
        for item in lines
        if text_sum(questions.get(item.query_id, "")) == item.question_sum
    }


def write_classes(
    path: Path,
    questions: Mapping[str, str],
    classes: Mapping[str, TemporalClass],
    server: str = "",
) -> None:
    """Write a file with the classes that a model assigned, in the order of the questions."""
    lines = (
        adapter(ClassLine).dump_json(ClassLine(query, text_sum(text), classes[query], server))
        + b"\n"
        for query, text in questions.items()
        if query in classes
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, b"".join(lines))


def classify_by_model(
    config: RunConfig,
    questions: Mapping[str, str],
    on_progress: OnProgress = not_shown,
) -> dict[str, TemporalClass]:
    """Ask the configured model for the class of every question, and return classes by query id.

    Questions without a valid reply are left out. The call store answers repeated calls.

    Raises:
        UsageError: No model is configured.
    """
    if config.chat_model is None:
        raise UsageError(
            f"llm={config.llm} cannot classify questions; to see the choices: remem list llm"
        )
    check_targets("llm", config.chat_model.build, config.packages)
    model: ChatModel = config.chat_model.get()
    with stopping_at_interrupt(config.chat_model):
        by_text = _ask_classes(
            model, dict.fromkeys(questions.values()), config.workers, on_progress
        )
    return {query: by_text[text] for query, text in questions.items() if text in by_text}


def class_by_model(model: ChatModel, question: str) -> TemporalClass:
    """Ask a model for the temporal class of a question.

    Raises:
        ModelUnavailableError: The model gave no valid reply.
    """
    request = ChatRequest("judge", load(PROMPT).render(question=question), REPLY_SCHEMA)
    name, _ = model.ask(request, parse_class)
    return name


def parse_class(reply: ChatReply) -> TemporalClass:
    """Return the class that a reply names.

    Raises:
        RejectedReplyError: The reply names no known class, or several.
    """
    objects = json_objects(whole_text(reply))
    named = {repr(item["temporal_class"]) for item in objects if "temporal_class" in item}
    named_classes = [class_name for class_name in CLASSES if named == {repr(class_name)}]
    if not named_classes:
        raise RejectedReplyError(f"expected one of {', '.join(CLASSES)}, found {sorted(named)}")
    return named_classes[0]


def _ask_classes(
    model: ChatModel, texts: Iterable[str], workers: int, on_progress: OnProgress
) -> dict[str, TemporalClass]:
    by_text = {}
    with ThreadPoolExecutor(workers) as pool:
        futures = {pool.submit(class_by_model, model, text): text for text in texts}
        try:
            on_progress(Progress(0, len(futures)))
            for done, future in enumerate(as_completed(futures), start=1):
                on_progress(Progress(done, len(futures)))
                if not isinstance(future.exception(), ModelUnavailableError):
                    by_text[futures[future]] = future.result()
        finally:
            pool.shutdown(cancel_futures=True)
    return by_text
