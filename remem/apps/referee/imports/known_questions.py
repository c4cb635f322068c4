"""Find the questions that imported answers belong to, in the data sets in REMEM_DATA."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from remem.apps.referee.imports.imported import ImportedAnswer
from remem.config.conf_files import conf_choices
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.protocols import DataFile
from remem.types import History, Question

LONGMEMEVAL = ("longmemeval", "longmemeval_excerpt")
CORPORA = {
    "locomo": ("locomo",),
    "longmemeval": LONGMEMEVAL,
    "longmemeval-s": LONGMEMEVAL,
    "longmemeval_s": LONGMEMEVAL,
}
"""The choices of conf/dataset for the names in files; another name may itself be a choice."""
NUMBER_AT_END = re.compile(r"(?<!\d)(\d{1,6})$")
"""The number in the names that files give to histories, such as user_0."""
_BETWEEN = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class KnownQuestions:
    """The questions of one data set."""

    config: RunConfig
    files: tuple[DataFile, ...]
    histories: tuple[History, ...]
    questions: tuple[Question, ...]

    @property
    def name(self) -> str:
        """Return the name of the data set in conf/dataset."""
        return self.config.dataset

    def find(self, answer: ImportedAnswer, taken: Collection[str] = ()) -> Question | None:
        """Find the question of an answer by its id, else by its text; return None if in doubt.

        Ids may differ in the separators between their parts. If the file also states the question,
        its words must be the same. If several questions of one history have the same words and gold
        answers, as in LoCoMo, the first of them that is not in `taken` is returned; if all of them
        are in `taken`, the first one is returned.
        """
        if answer.id:
            question = self._by_id.get(_spelled(answer.id))
            if question and (
                not answer.question or _spelled(question.query.text) == _spelled(answer.question)
            ):
                return question
        return self._by_words(answer, taken) if answer.question else None

    def _by_words(self, answer: ImportedAnswer, taken: Collection[str]) -> Question | None:
        fitting = self._by_text.get(_spelled(answer.question), [])
        if answer.history and len(fitting) > 1:
            history = self._history_id(answer.history)
            fitting = [question for question in fitting if question.query.history_id == history]
        if len(fitting) > 1:
            fitting = [question for question in fitting if has_gold(question, answer.golds)]
        same = {(question.query.history_id, question.gold.answers) for question in fitting}
        free = [question for question in fitting if question.query.id not in taken]
        return (free or fitting)[0] if len(same) == 1 else None

    def _history_id(self, stated: str) -> str:
        """Return the id of a history that a file names by its id, or by its number from 0."""
        number = NUMBER_AT_END.search(stated)
        is_id = any(history.id == stated for history in self.histories)
        if is_id or number is None or int(number[1]) >= len(self.histories):
            return stated
        return self.histories[int(number[1])].id

    @cached_property
    def _by_id(self) -> dict[str, Question]:
        return {_spelled(question.query.id): question for question in self.questions}

    @cached_property
    def _by_text(self) -> dict[str, list[Question]]:
        by_text: defaultdict[str, list[Question]] = defaultdict(list)
        for question in self.questions:
            by_text[_spelled(question.query.text)].append(question)
        return dict(by_text)


class DataSets:
    """The data sets in REMEM_DATA, each loaded once.

    Args:
        overrides: Hydra overrides, such as paths.data.
    """

    def __init__(self, overrides: Sequence[str] = ()) -> None:
        self._overrides = tuple(overrides)
        self._loaded: dict[str, KnownQuestions | None] = {}

    def of(self, corpus: str) -> Iterator[KnownQuestions]:
        """Yield the data sets that a name in a file may mean, if REMEM_DATA has their files.

        An unknown name yields nothing instead of an error, because the file may be untrusted.
        """
        for name in CORPORA.get(corpus.lower(), (corpus,)):
            if name not in dataset_choices():
                continue
            if name not in self._loaded:
                self._loaded[name] = self._load(name)
            questions = self._loaded[name]
            if questions is not None:
                yield questions

    def _load(self, name: str) -> KnownQuestions | None:
        config = run_config(compose_config([f"dataset={name}", *self._overrides]))
        try:
            benchmark = config.build_benchmark()
        except FileNotFoundError:
            return None
        histories = tuple(benchmark.histories())
        questions = (question for each in histories for question in benchmark.questions(each.id))
        return KnownQuestions(config, tuple(benchmark.files()), histories, tuple(questions))


@cache
def dataset_choices() -> frozenset[str]:
    """Return the names of all choices in conf/dataset."""
    return frozenset(path.stem for path in conf_choices("dataset"))


def has_gold(question: Question, golds: Sequence[str]) -> bool:
    """Return whether a question has one of these gold answers, ignoring case and spacing."""
    gold_spellings = {_spelled(gold) for gold in question.gold.answers}
    return any(_spelled(gold) in gold_spellings for gold in golds)


def _spelled(text: str) -> str:
    """Return a text in lower case, with the same separator between all its parts.

    >>> _spelled("conv-26_q0") == _spelled("conv-26/q0")
    True
    """
    return _BETWEEN.sub("-", text.lower()).strip("-") or text
