"""Match imported answers with their questions and gold answers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from remem.apps.referee.imports.error_messages import is_error_message
from remem.apps.referee.imports.imported import ImportedAnswer, ImportedAnswers, RankedItem
from remem.apps.referee.imports.known_questions import DataSets, KnownQuestions, has_gold
from remem.benchmarks.loaded import check_unique
from remem.intake import Account, Intake
from remem.types import NOT_STATED, REFUSAL_PHRASE, Gold, Query, Question, Record, Retrieved

NO_GOLD = "their gold answer is not known"
ERROR_MESSAGE = "answers that are error messages were read as errors, which are not scored"


@dataclass(frozen=True, slots=True)
class MatchedAnswer:
    """An answer with its question; `of_data_set` is False if the file supplied the question."""

    answer: ImportedAnswer
    question: Question
    of_data_set: bool

    @property
    def id(self) -> str:
        """Return the id of the question."""
        return self.question.query.id

    @property
    def gold_differs(self) -> bool:
        """Return whether the file states a gold answer that the data set does not have.

        If the question should be refused, any gold answer that the file states counts as equal.
        """
        golds = self.answer.golds if self.question.gold.answerable else ()
        return self.of_data_set and bool(golds) and not has_gold(self.question, golds)


@dataclass(frozen=True, slots=True)
class MatchedAnswers:
    """The answers of one system with their questions.

    Attributes:
        imported: The answers as the file states them.
        known: The data set of the questions; None if it is not in REMEM_DATA.
        answers: The answers whose question and gold answer are known.
        account: How many answers of the file were kept, repaired or left out; an answer without a
            gold answer is left out.
    """

    imported: ImportedAnswers
    known: KnownQuestions | None
    answers: tuple[MatchedAnswer, ...]
    account: Account

    @property
    def records(self) -> tuple[Record, ...]:
        """Return the records of the answers, in their order."""
        return tuple(_record(matched, self.imported.llm) for matched in self.answers)

    @property
    def not_answered(self) -> tuple[str, ...]:
        """Return the ids of unanswered questions about histories with at least one answer.

        If each question has its own history, return all unanswered questions of the data set.
        """
        if self.known is None:
            return ()
        ours = {matched.id for matched in self.answers}
        histories = {matched.question.query.history_id for matched in self.answers}
        single = len(self.known.histories) == len(self.known.questions)
        return tuple(
            question.query.id
            for question in self.known.questions
            if question.query.id not in ours and (single or question.query.history_id in histories)
        )

    @property
    def missing(self) -> tuple[str, ...]:
        """Return the kinds of data that the file states for no answer, such as "verdicts"."""
        answers = [matched.answer for matched in self.answers]
        stated = {
            "what was retrieved": any(answer.retrieved is not None for answer in answers),
            "which messages were retrieved": not any(
                item.sessions for answer in answers for item in answer.retrieved or ()
            ),
            "the context of the reader": any(answer.context is not None for answer in answers),
            "the model that answered": bool(self.imported.llm),
            "verdicts": any(answer.verdicts for answer in answers),
        }
        return tuple(what for what, is_stated in stated.items() if not is_stated)


def match(imported: ImportedAnswers, data_sets: DataSets) -> MatchedAnswers:
    """Match answers with their questions; use the data set that has the most of these questions.

    If this data set has less than half of the questions that can be scored, no data set is used:
    for example, if the answers cover all of LongMemEval, but REMEM_DATA has only an excerpt.

    Raises:
        ValueError: A question has two answers, or no answer has a gold answer.
    """
    if not imported.corpus:
        return _matched(imported, None)
    tried = [_matched(imported, known) for known in data_sets.of(imported.corpus)]
    best = max(tried, key=_of_data_set, default=None)
    is_of_it = best is not None and 2 * _of_data_set(best) >= max(1, len(best.answers))
    return best if best is not None and is_of_it else _matched(imported, None)


def check_scorable(matched: MatchedAnswers) -> None:
    """Raise ValueError if no answer has a gold answer, so that there is nothing to score."""
    if not matched.answers:
        imported = matched.imported
        where = f"the data set {imported.corpus!r}" if imported.corpus else "a data set"
        raise ValueError(
            f"{imported.file.name}: none of the answers of {imported.label} "
            f"({len(imported.answers):,}) has a gold answer: set REMEM_DATA to the folder with "
            f"{where}, name the data set with --dataset, or add the gold answers to the file"
        )


def _of_data_set(matched: MatchedAnswers) -> int:
    return sum(answer.of_data_set for answer in matched.answers)


def _matched(imported: ImportedAnswers, known: KnownQuestions | None) -> MatchedAnswers:
    intake: Intake[MatchedAnswer] = Intake("answers")
    for left_out in imported.left_out:
        intake.leave_out(*left_out)
    taken: set[str] = set()
    for place, answer in enumerate(imported.answers):
        known_question = None if known is None else known.find(answer, taken)
        question = known_question or _stated_question(answer, place)
        if question is None:
            intake.leave_out(answer.where, NO_GOLD)
            continue
        checked_answer = _without_error_message(answer, question)
        if checked_answer is not answer:
            intake.repair(answer.where, ERROR_MESSAGE)
        intake.keep(MatchedAnswer(checked_answer, question, known_question is not None))
        taken.add(question.query.id)
    answers = tuple(intake.items)
    check_unique([answer.id for answer in answers], f"questions of {imported.file.name}")
    account = intake.account(arrived=len(imported.answers) + len(imported.left_out))
    return MatchedAnswers(imported, known, answers, account)


def _without_error_message(answer: ImportedAnswer, question: Question) -> ImportedAnswer:
    """Return the answer unchanged, or as an error if its text is an error message."""
    written = answer.answer or ""
    if not is_error_message(written, question.query.text, *question.gold.answers):
        return answer
    return replace(answer, answer=None, error=written)


def _stated_question(answer: ImportedAnswer, place: int) -> Question | None:
    """Return the question as the file states it; None without a gold answer."""
    golds = tuple(gold for gold in answer.golds if gold.strip())
    if not golds and answer.answerable is False:
        golds = (REFUSAL_PHRASE,)
    if not golds:
        return None
    history = answer.history or NOT_STATED
    return Question(
        Query(answer.id or f"row {place}", history, place, answer.question or NOT_STATED),
        Gold(
            answers=golds,
            category=answer.category or NOT_STATED,
            answerable=answer.answerable is not False,
            evidence=answer.evidence,
            group=answer.history,
        ),
    )


def _record(matched: MatchedAnswer, llm: str) -> Record:
    answer, query = matched.answer, matched.question.query
    return Record(
        query_id=query.id,
        history_id=query.history_id,
        index=query.index,
        question=query.text,
        gold=matched.question.gold,
        status="error" if answer.answer is None else "ok",
        answer=answer.answer or "",
        error=answer.error if answer.answer is None else "",
        retrieved=tuple(_retrieved(answer.retrieved)),
        context_tokens=answer.context_tokens or 0,
        llm=llm or NOT_STATED,
        prompts=NOT_STATED,
    )


def _retrieved(items: Sequence[RankedItem] | None) -> Iterator[Retrieved]:
    """Yield the retrieved items, with a placeholder for items that the file does not state."""
    if items is None:
        yield Retrieved(NOT_STATED, (NOT_STATED,))
        return
    for item in items:
        turns = tuple(f"{session}_{NOT_STATED}" for session in item.sessions)
        yield Retrieved(item.id, (*item.messages, *turns))
