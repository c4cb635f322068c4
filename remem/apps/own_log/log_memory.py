"""A memory on disk for the user's own logs: create it, add to it, ask it questions.

Each call of `add` writes a new subfolder with the new sessions and the new part of the index.
`memory.json` names the latest complete subfolder, so a half-written one is never used.
"""

import fcntl
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from omegaconf import DictConfig, OmegaConf
from pydantic import ValidationError

from remem.apps.own_log.log_answer import LogAnswer, is_follow_up, sources_of, with_neighbours
from remem.apps.own_log.logs.log import LogMessage, numbered
from remem.config.conf_files import plumbing_weights
from remem.config.config_dir import TRUST
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.config.untrusted_composed import check_together
from remem.config.untrusted_overrides import check_amount, check_override
from remem.errors import DamagedIndexError, ModelUnavailableError, UsageError
from remem.files.adapters import adapter, parsed
from remem.files.disk import open_to_append, write_whole, writing
from remem.files.opened import read_file
from remem.metrics.refusal import is_blank_or_phrase
from remem.protocols import AccountsForIndex, AppendableMemory, Memory, PersistentMemory
from remem.readers.quoting import SentenceFinder
from remem.run.served_models import check_local_model
from remem.types import REFUSAL_PHRASE, Answer, Episode, History, Message, Query

Part = TypeVar("Part")

NAME, SESSIONS, PLACES = "memory.json", "sessions.json", "places.json"
WITH_A_MODEL = ("extractor=llm", "planner=llm", "reader=sentence")
WITH_A_SMALL_MODEL = ("reader=sentence_small",)
WHAT_SHAPES = ("extractor", "embedder", "llm")
MOST_ADDITIONS = 100
"""Number of additions after which the entire memory is written again, so that it opens fast."""


@dataclass(frozen=True, slots=True)
class SavedState:
    """The content of `memory.json`: the subfolders and the settings of the memory.

    Subfolder number `whole` has a complete memory. Each later subfolder, up to number `latest`, has
    an addition to this memory. `shaping` is a fingerprint of the settings that affect the index.
    """

    whole: int
    latest: int
    shaping: str
    overrides: tuple[str, ...]


class OwnMemory:
    """A memory in a folder; `open_memory` opens the folder for one process at a time."""

    def __init__(
        self, folder: Path, kept: SavedState | None, overrides: Sequence[str], config: RunConfig
    ) -> None:
        self._folder = folder
        self._kept = kept
        self._overrides = tuple(overrides)
        self._config = config
        self._memory = _persistent(config.memory_factory()())
        self._sessions: list[Episode] = []
        self._places: list[str] = []
        if kept is not None:
            for place in _subfolders(folder, kept):
                self._sessions += _read_part(place / SESSIONS, list[Episode])
                self._places += _read_part(place / PLACES, list[str])
                if len(self._places) != len(self.messages):
                    raise _damaged(place / PLACES)
            _load(self._memory, _subfolders(folder, kept))

    @property
    def messages(self) -> dict[str, Message]:
        """Return all messages by id."""
        return {message.id: message for session in self._sessions for message in session.messages}

    def add(self, added: Sequence[LogMessage]) -> int:
        """Add the new messages of a log and return their number; after an error, none is added.

        A message with the same speaker, date and text as a stored one is skipped, so a log that
        has grown can be added again.
        """
        stored_messages = Counter(map(_identity, self.messages.values()))
        new = [item for item in added if not _take_known(stored_messages, _identity(item.message))]
        if not new:
            return 0
        llm = self._config.settings.llm.name
        check_local_model(f"llm={llm}", self._config.chat_model)
        sessions = numbered(new, after=len(self.messages))
        self._memory.index(History(self._folder.name, tuple(sessions)))
        if isinstance(self._memory, AccountsForIndex) and self._memory.failures:
            session, reason = self._memory.failures[0]
            raise ModelUnavailableError(
                f"nothing was added, because extraction failed for session {session}: {reason}; "
                f"the calls that succeeded are kept; run the same command again to make the others"
            )
        self._keep(sessions, [item.place for item in new])
        return len(new)

    def ask(self, question: str, former: str = "") -> LogAnswer:
        """Answer a question with a sentence of the log, or with a sentence of a model.

        Args:
            question: The question.
            former: The previous question, used if `question` refers to it ("and when?").
        """
        before = former if is_follow_up(question) else ""
        query = Query("question", self._folder.name, 0, f"{before} {question}".strip())
        evidence = self._memory.recall(query)
        messages = self.messages
        finder = SentenceFinder(list(messages.values()))
        near = with_neighbours(list(sources_of(evidence)), list(messages.values()))
        quote = finder.best(question, near, before)
        answer = Answer(quote.sentence if quote and quote.answers else REFUSAL_PHRASE)
        if self._has_reader:
            answer = self._config.build_reader().read(query, evidence)
            quote = finder.source(query.text, near, answer.text)
            quote = None if is_blank_or_phrase(answer.text) else quote
        places = dict(zip(messages, self._places, strict=True))
        place = places[quote.message.id] if quote else ""
        text = "" if is_blank_or_phrase(answer.text) else answer.text
        usage = evidence.usage + answer.usage
        return LogAnswer(text, quote, place, evidence, usage, messages)

    @property
    def _has_reader(self) -> bool:
        """Whether a model or a named reader answers, instead of a sentence of the log."""
        named = any(override.startswith("reader=") for override in self._overrides)
        return named or self._config.settings.llm.name != "none"

    def _keep(self, sessions: list[Episode], places: list[str]) -> None:
        """Write the additions into the next subfolder, and name this subfolder in `memory.json`."""
        self._sessions += sessions
        self._places += places
        whole, latest = self._next()
        place = self._folder / str(latest)
        shutil.rmtree(place, ignore_errors=True)  # of a kill
        with writing(place):
            place.mkdir()
            if isinstance(self._memory, AppendableMemory) and whole < latest:
                self._memory.append(place)
            else:
                sessions, places = self._sessions, self._places
                self._memory.save(place)
            write_whole(place / SESSIONS, adapter(list[Episode]).dump_json(sessions))
            write_whole(place / PLACES, adapter(list[str]).dump_json(places))
        former = self._kept
        self._kept = SavedState(whole, latest, shaping(self._config), self._overrides)
        write_whole(self._folder / NAME, adapter(SavedState).dump_json(self._kept) + b"\n")
        if former is not None and former.whole < whole:
            for subfolder in _subfolders(self._folder, former):
                shutil.rmtree(subfolder, ignore_errors=True)

    def _next(self) -> tuple[int, int]:
        """Return `whole` and `latest` of the state after one more addition."""
        if self._kept is None:
            return 1, 1
        whole, latest = self._kept.whole, self._kept.latest + 1
        appends = isinstance(self._memory, AppendableMemory) and latest - whole <= MOST_ADDITIONS
        return (whole if appends else latest), latest


@contextmanager
def open_memory(
    folder: Path, overrides: Sequence[str], *, make: bool, trusted: bool = False
) -> Iterator[OwnMemory]:
    """Open the memory of a folder with its original configuration and the given overrides.

    Args:
        folder: The folder of the memory.
        overrides: The overrides of the command line.
        make: Whether to create a memory if the folder has none.
        trusted: Whether the command line allows the folder to set more than plain settings.

    Raises:
        FileNotFoundError: The folder has no memory, and `make` is False.
        UsageError: The overrides would change the index, or the folder has forbidden settings.
        RuntimeError: Another process has the memory open.
    """
    if not make and not (folder / NAME).is_file():
        raise FileNotFoundError(f"no memory in {folder}; create one with --add <a log>")
    folder.mkdir(parents=True, exist_ok=True)
    with open_to_append(folder / "lock") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RuntimeError(f"{folder} is in use by another process") from error
        kept = _read_kept(folder / NAME)
        known = kept.overrides if kept else ()
        changes = with_kept(folder / NAME, known, overrides, trusted=trusted)
        config = configured(changes)
        if known and not trusted:
            check_together(folder / NAME, config.resolved, granting_memory(folder))
        if kept is not None and kept.shaping != shaping(config):
            made = ", ".join(kept.overrides) or "the defaults"
            raise UsageError(
                f"{folder} was made with {made}, but this command sets another "
                f"{' or '.join(WHAT_SHAPES)}, which would give another index: use the same "
                f"settings again, or create another memory from the same logs"
            )
        yield OwnMemory(folder, kept, changes, config)


def configured(overrides: Sequence[str]) -> RunConfig:
    """Return the configuration of a memory that was created with these overrides."""
    return run_config(compose_own(overrides))


def compose_own(overrides: Sequence[str]) -> DictConfig:
    """Compose the configuration of a memory of a log.

    If a language model is chosen, it extracts, plans and answers; a small model only answers. An
    override can name another extractor, planner or reader. Without a model, rules extract, a fixed
    plan recalls, and the reader quotes spans of the evidence.
    """
    named = {change.partition("=")[0] for change in overrides}
    composed = compose_config(["dataset=own_log", *overrides])
    if composed.llm.name == "none":
        return composed
    small = OmegaConf.select(composed, "llm.identity.weights_sha256") in plumbing_weights()
    roles = WITH_A_SMALL_MODEL if small else WITH_A_MODEL
    wanted = [role for role in roles if role.partition("=")[0] not in named]
    return compose_config(["dataset=own_log", *wanted, *overrides])


def shaping(config: RunConfig) -> str:
    """Return a fingerprint of all settings of this configuration that affect its index."""
    fingerprint = config.index_fingerprint("your own log")
    if fingerprint is None:
        raise UsageError(
            f"{config.label} stores no index on disk; use a method that does, such as "
            f"method=remem_i"
        )
    return fingerprint


def _persistent(memory: Memory) -> PersistentMemory:
    if not isinstance(memory, PersistentMemory):
        raise UsageError(
            f"{type(memory).__name__} stores no index on disk; use a method that does, such as "
            f"method=remem_i"
        )
    return memory


def _subfolders(folder: Path, kept: SavedState) -> list[Path]:
    return [folder / str(number) for number in range(kept.whole, kept.latest + 1)]


def _load(memory: PersistentMemory, places: Sequence[Path]) -> None:
    try:
        memory.load(*places)
    except DamagedIndexError as error:
        advice = f"delete {places[0].parent} and add the logs again"
        raise DamagedIndexError(f"{error}: {advice}") from error


def _identity(message: Message) -> tuple[str, str, str]:
    return message.speaker, message.date, message.text


def _take_known(known: Counter[tuple[str, str, str]], identity: tuple[str, str, str]) -> bool:
    """Return whether a message is in `known`, and remove one occurrence of it."""
    known[identity] -= 1
    return known[identity] >= 0


def _read_kept(path: Path) -> SavedState | None:
    if not path.is_file():
        return None
    try:
        kept = parsed(SavedState, read_file(path), strict=True)
        if not 0 < kept.whole <= kept.latest <= kept.whole + MOST_ADDITIONS:
            raise ValueError(f"it names the subfolders {kept.whole} to {kept.latest}")
    except ValueError as error:  # of which ValidationError is one
        raise ValueError(
            f"{path} is damaged, or from an earlier version of remem: delete its folder and add "
            f"the logs again"
        ) from error
    return kept


def _read_part(path: Path, kind: type[Part]) -> Part:
    try:
        return parsed(kind, read_file(path), strict=True)
    except (ValidationError, OSError) as error:
        raise _damaged(path) from error


def _damaged(path: Path) -> ValueError:
    return ValueError(f"{path} is damaged: delete {path.parents[1]} and add the logs again")


def with_kept(
    path: Path, kept: Sequence[str], typed: Sequence[str], *, trusted: bool
) -> tuple[str, ...]:
    """Return the overrides of a memory: the stored ones, then those of the command line.

    A stored override is left out if the command line sets the same key.

    Raises:
        UsageError: A stored override is more than a plain setting and is not trusted, or the stored
            overrides exceed the limits on their number and length.
    """
    check_amount(path, [kept])
    keys = {override.partition("=")[0] for override in typed}
    left = [override for override in kept if override.partition("=")[0] not in keys]
    for override in left:
        check_override(path, override, granting_memory(path.parent), trusted=trusted)
    return (*left, *typed)


def granting_memory(folder: Path) -> str:
    """Return advice for an error message: how to allow a stored override that was refused."""
    return (
        f"if you want it, repeat it on the command line; if you made the folder yourself, use "
        f"{TRUST} {folder}"
    )
