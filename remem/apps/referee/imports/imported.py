"""What a file of published answers says: the answers of one system, and its published scores.

The reader of each format returns these types; all later steps are the same for every format.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from remem.protocols import DataFile

MOST_DIGITS = 9
"""The most decimals of a published mean that are compared: totals differ in later ones."""
Flag = bool | float
"""A value that a file states for each answer, besides the verdicts: a check that it passed, or a
measure."""


@dataclass(frozen=True, slots=True)
class RankedItem:
    """An item that the system retrieved, with the ids of its messages or of its sessions."""

    id: str
    messages: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedAnswer:
    """One answer as a file states it; what the file does not state is empty or None.

    Attributes:
        where: Where the file has the answer, for error messages.
        id: The id of the question.
        history: The id or the number (from 0) of its history.
        question: The text of the question.
        golds: The gold answers; an answer that matches one of them is right.
        category: The category.
        answerable: Whether the history answers the question.
        answer: The answer; None if the system gave none.
        error: Why there is no answer.
        evidence: The ids of the messages with the answer, used only if no data set states them.
        retrieved: The items that were retrieved, best first; None if the file does not state them.
        context: What the reader was shown.
        prompt: What the reader was shown in addition to the question and the context.
        context_tokens: The number of tokens of the context.
        reasoning: What the reader wrote before its answer.
        today: The date that the reader was given as today's date.
        is_cut: Whether the reply reached its token limit.
        verdicts: The score of the answer by each judge or formula, from 0 to 1.
        flags: Other values that the file states for the answer, by name.
    """

    where: str
    id: str = ""
    history: str = ""
    question: str = ""
    golds: tuple[str, ...] = ()
    category: str = ""
    answerable: bool | None = None
    answer: str | None = None
    error: str = ""
    evidence: tuple[str, ...] = ()
    retrieved: tuple[RankedItem, ...] | None = None
    context: str | None = None
    prompt: str = ""
    context_tokens: int | None = None
    reasoning: str = ""
    today: str = ""
    is_cut: bool | None = None
    verdicts: Mapping[str, float] = field(default_factory=dict)
    flags: Mapping[str, Flag] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Published:
    """A mean that a file states for a judge or formula, over one category or all answers.

    All means of a file have the same `digits`: the largest number of decimals among them, counted
    for the means as shares.
    """

    judge: str
    value: float
    category: str | None = None
    digits: int = MOST_DIGITS


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedAnswers:
    """The answers of one system in one file.

    Attributes:
        format: The name of the format.
        file: The file, with its checksum.
        system: The name of the system.
        mapping: The checksum of the mapping that a user gave; "" for a known format.
        repeat: What distinguishes repeated runs, such as the seed; "" for a single run.
        corpus: The data set as the file names it, such as "locomo"; "" if it names none.
        llm: The model that answered.
        answers: The answers, in the order of the file.
        published: The means that the file states.
        main: The judge or formula behind the score that the project reports; "" without verdicts.
        base: The judge whose verdicts the formula `main` changes; "" if `main` is a judge.
        left_out: The answers that were not read: the place of each in the file, and the reason.
        unread: The keys that were not read from the rows; their values are texts or lists.
    """

    format: str
    file: DataFile
    system: str
    answers: tuple[ImportedAnswer, ...]
    mapping: str = ""
    repeat: str = ""
    corpus: str = ""
    llm: str = ""
    published: tuple[Published, ...] = ()
    main: str = ""
    base: str = ""
    left_out: tuple[tuple[str, str], ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Return the name of the run in tables.

        >>> file = DataFile("a.json", "")
        >>> ImportedAnswers(format="x", file=file, system="mem0", repeat="1", answers=()).label
        'mem0 (1)'
        """
        return f"{self.system} ({self.repeat})" if self.repeat else self.system

    @property
    def judges(self) -> tuple[str, ...]:
        """Return the judges and formulas that gave any verdict, the main one first."""
        judges = {judge: None for answer in self.answers for judge in answer.verdicts}
        return tuple(sorted(judges, key=lambda judge: (judge != self.main, judge)))
