"""Compare rules with a small model by kind of question: F1 over the retrieved evidence.

    REMEM_DATA=<folder> python scripts/small_reader.py dataset=realtalk     (make tiny-llm)
    python scripts/small_reader.py dataset=generated_dialogues llm=none     # the rules alone

Questions without an answer are left out. Replies are kept in the call store: what a run of
reader=hybrid has asked is not asked again. Yes-no-questions are asked here alone.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.evaluation.interval_text import bracketed
from remem.metrics.convention import ScoreConvention
from remem.metrics.intervals import mean_ratio
from remem.metrics.paired import paired_tests
from remem.metrics.qa import token_f1
from remem.prompts.library import own_library
from remem.protocols import ChatRequest, Reader
from remem.readers.answer_spans import asks_date, asks_truth
from remem.readers.hybrid import HybridReader, parse_short_answer
from remem.types import Evidence, Query

METHOD = "method=bm25_messages"
MODEL = ("llm=smollm2", "llm.build.endpoint.max_output_tokens=48")
RULES = ("reader=extractive", "reader.build.refusal_threshold=0.0")
DATED = ("reader=extractive_dated",)
WHEN, TRUTH, OTHER = "when", "yes or no", "other"
GAPS = (
    ("dated rules", "rules", "all"),
    ("hybrid", "dated rules", "all"),
    ("hybrid", "rules", "all"),
    ("hybrid", "first line", OTHER),
)
"""The readers to compare, and the questions to compare them on."""
Answering = Callable[[Query, Evidence], str]


@dataclass(frozen=True, slots=True)
class Scored:
    """A question and the F1 of each reader's answer to it."""

    kind: str
    history: str
    scores: tuple[float, ...]


def main(overrides: Sequence[str]) -> int:
    """Answer every question with each reader, and print the scores."""
    model = () if any(each.startswith("llm=") for each in overrides) else MODEL
    given = (METHOD, *model, *overrides)
    config = configured(*given)
    readers = dict(named_readers(given, has_model=config.chat_model is not None))
    scored = list(scores(config, list(readers.values())))
    for line in told(scored, list(readers), config.score_convention()):
        sys.stdout.write(f"{line}\n")
    return 0


def configured(*overrides: str) -> RunConfig:
    """Return a composed configuration."""
    return run_config(compose_config(overrides))


def named_readers(given: Sequence[str], *, has_model: bool) -> Iterator[tuple[str, Answering]]:
    """Yield the readers by name; those with a model only if one is configured."""
    dated = configured(*given, *DATED).build_reader()
    yield "rules", text_of(configured(*given, *RULES).build_reader())
    yield "dated rules", text_of(dated)
    if has_model:
        asking = configured(*given, "reader=hybrid")
        yield "first line", first_line(asking, dated)
        yield "hybrid", text_of(asking.build_reader())


def text_of(reader: Reader) -> Answering:
    """Return a function that gives a reader's answer as text."""
    return lambda query, evidence: reader.read(query, evidence).text


def first_line(asking: RunConfig, rules: Reader) -> Answering:
    """Return the unchanged first line of a reply, or the answer of the rules if there is none."""
    hybrid = asking.build_reader()
    if asking.chat_model is None or not isinstance(hybrid, HybridReader):
        raise TypeError("reader=hybrid needs a model and is a HybridReader")
    chat_model = asking.chat_model.get()
    prompt = own_library().load("reader_short.v1")

    def answered(query: Query, evidence: Evidence) -> str:
        shown = hybrid.shown(query.text, evidence)
        line = None
        if shown and kind_of(query.text) != WHEN:
            messages = prompt.render(question=query.text, evidence=shown)
            line, _ = chat_model.ask(ChatRequest("read", messages), parse_short_answer)
        return rules.read(query, evidence).text if line is None else line

    return answered


def kind_of(question: str) -> str:
    """Return the kind of a question, by the rules of the hybrid reader."""
    if asks_date(question):
        return WHEN
    return TRUTH if asks_truth(question) else OTHER


def scores(config: RunConfig, readers: Sequence[Answering]) -> Iterator[Scored]:
    """Yield the scores of each question that has an answer."""
    benchmark, new_memory = config.build_benchmark(), config.memory_factory()
    for history in benchmark.histories():
        memory = new_memory()
        memory.index(history)
        for question in benchmark.questions(history.id):
            if question.gold.answerable:
                evidence = memory.recall(question.query)
                answers = (answer(question.query, evidence) for answer in readers)
                f1 = tuple(token_f1(answer, question.gold.answers) for answer in answers)
                yield Scored(kind_of(question.query.text), history.id, f1)
        sys.stderr.write(f"{history.id}\n")


def told(
    scored: Sequence[Scored], names: Sequence[str], convention: ScoreConvention
) -> Iterator[str]:
    """Yield a line for each kind of question, then one for each comparison of two readers."""
    for kind in (WHEN, TRUTH, OTHER, "all"):
        rows = of_kind(scored, kind)
        means = 100 * np.array([each.scores for each in rows]).mean(axis=0) if rows else []
        shown = ", ".join(f"{name} {mean:.1f}" for name, mean in zip(names, means, strict=False))
        yield f"{kind}: n = {len(rows)}; {shown}"
    for more, less, kind in GAPS:
        rows = of_kind(scored, kind)
        if {more, less} <= {*names} and rows:
            yield f"{kind}: {more} - {less} = {gap(rows, names, more, less, convention)}"


def of_kind(scored: Sequence[Scored], kind: str) -> list[Scored]:
    """Return the questions of a kind; "all" returns all."""
    return [each for each in scored if kind in {each.kind, "all"}]


def gap(
    rows: Sequence[Scored], names: Sequence[str], more: str, less: str, convention: ScoreConvention
) -> str:
    """Return the mean difference of two readers, with its interval over histories, as text."""
    f1 = np.array([each.scores for each in rows])
    differences = f1[:, names.index(more)] - f1[:, names.index(less)]
    ratio = mean_ratio(differences, [each.history for each in rows])
    (test,) = paired_tests([ratio], resamples=convention.resamples, seed=convention.seed)
    found = test.difference
    shown = f"{100 * found.mean:+.1f} {bracketed(found, '+.1f', 100)}, p = {test.p_value:.4f}"
    return f"{shown} ({found.n} questions, {found.clusters} histories)"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
