"""Fit the word weights of reader=typed, or compare the reader with reader=extractive.

    REMEM_DATA=<folder> python scripts/typed_reader.py fit        # prints WEIGHTS of word_odds.py
    REMEM_DATA=<folder> python scripts/typed_reader.py rows dataset=locomo
    python scripts/typed_reader.py rows dataset=generated_dialogues
    python scripts/typed_reader.py order results/tables/real-offline/real-offline.csv "Oracle Gist"

"rows" asks the questions with five memories and both readers, and prints the scores of the first
five histories and of the others apart: the rules and weights were chosen on the first five of
LoCoMo. Answers are kept in the folder of the runs, so a second start is quick.

"order" reads the CSV of a table and prints Kendall's tau between the order of its rows by F1 of
answerable questions and by recall@10, without the labels named after the file.
"""

import csv
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.evaluation.interval_text import bracketed
from remem.metrics.convention import ScoreConvention
from remem.metrics.intervals import mean_interval, mean_ratio, refusal_interval
from remem.metrics.paired import paired_tests
from remem.metrics.qa import normalised_tokens
from remem.metrics.question_scores import QuestionScores
from remem.metrics.scores import score_questions
from remem.protocols import SeesGold
from remem.readers.attribution import people_named
from remem.readers.lines import parse_lines
from remem.readers.question_kinds import options, question_kind
from remem.readers.ranked_sentences import ranked_sentences
from remem.readers.rendering import evidence_texts
from remem.readers.resolving import with_dates
from remem.readers.terms import terms
from remem.readers.typed import searched
from remem.readers.word_odds import LONGEST_WORD, WEIGHTS, words_of
from remem.run.experiment import run_experiment
from remem.types import Record

MEMORIES = {
    "REMem-I": ("method=remem_i", "planner=scripted"),
    "REMem-S": ("method=remem_s",),
    "BM25": ("method=bm25_messages",),
    "Oracle": ("method=oracle_message",),
    "No memory": ("method=no_memory",),
}
READERS = ("extractive", "typed")
CHOSEN_ON = 5
"""The histories of LoCoMo on which the rules and weights were chosen, from the first."""
ORDERED_BY = ("answerable_f1", "recall_at_10")
"""The scores that order the rows of a table."""
PENALTY = 2.0
"""Of the squared weights, so that a rare look gets no great weight."""


def main(arguments: Sequence[str]) -> int:
    """Print the weights, the scores of all rows, or how far two orders of a table agree."""
    job, *rest = arguments or [""]
    if job not in ("fit", "rows") and not (job == "order" and rest):
        sys.stderr.write(
            "give fit, rows with a dataset, or order with the CSV of a table; see the start of "
            "this file\n"
        )
        return 2
    if job == "order":
        lines = table_order(Path(rest[0]), rest[1:])
    else:
        lines = fitted() if job == "fit" else rows(rest)
    for line in lines:
        sys.stdout.write(f"{line}\n")
    return 0


def table_order(path: Path, left_out: Sequence[str]) -> Iterator[str]:
    """Yield for each block of a table Kendall's tau between F1 and recall@10 of its rows.

    Rows without one of the two scores are left out, such as those that rank nothing.
    """
    means: defaultdict[str, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file):
                if line["category"] == "all" and line["mean"] and line["score"] in ORDERED_BY:
                    means[line["block"]][line["score"]][line["method"]] = float(line["mean"])
    except (OSError, KeyError, ValueError) as error:
        raise SystemExit(
            f"{path}: expected the CSV of a table, as remem table writes it: {error!r}"
        ) from error
    labels = {label for scores in means.values() for row in scores.values() for label in row}
    if not means or not set(left_out) <= labels:
        odd = sorted(set(left_out) - labels) or "no row"
        raise SystemExit(f"{path}: found {odd}; the rows are {sorted(labels)}")
    for block, scores in means.items():
        f1, recalls = (scores[name] for name in ORDERED_BY)
        kept = [label for label in f1 if label in recalls and label not in left_out]
        tau = kendall_tau({label: f1[label] for label in kept}, recalls)
        yield f"{block}: tau {tau:.2f} over {len(kept)} rows: {', '.join(kept)}"


def fitted() -> Iterator[str]:
    """Yield a line for each weight of a logistic regression, by Newton's method."""
    looks, in_gold = (np.array(part, dtype=np.float64) for part in zip(*examples(), strict=True))
    weights, identity = np.zeros(len(WEIGHTS)), np.eye(len(WEIGHTS))
    for _ in range(30):
        chance = 1 / (1 + np.exp(-looks @ weights))
        curvature = (looks * (chance * (1 - chance))[:, None]).T @ looks + PENALTY * identity
        slope = looks.T @ (chance - in_gold) + PENALTY * weights
        weights -= np.linalg.solve(curvature, slope)
    yield f"{len(in_gold)} words, {int(in_gold.sum())} of them in a gold"
    yield from (f"{name}: {weight:.2f}" for name, weight in zip(WEIGHTS, weights, strict=True))


def examples() -> Iterator[tuple[list[float], bool]]:
    """Yield what each word of the searched sentences looks like, and whether the gold has it."""
    config = configured("dataset=locomo", *MEMORIES["Oracle"])
    benchmark, new_memory = config.build_benchmark(), config.memory_factory()
    for history in list(benchmark.histories())[:CHOSEN_ON]:
        memory, questions = new_memory(), list(benchmark.questions(history.id))
        memory.index(history)
        if isinstance(memory, SeesGold):
            memory.see_gold(questions)
        for question in questions:
            text = question.query.text
            if not question.gold.answerable or question_kind(text) != "words" or options(text):
                continue
            gold = {word for each in question.gold.answers for word in normalised_tokens(each)}
            for sentence in sentences_of(text, evidence_texts(memory.recall(question.query))):
                for word in words_of(terms(text), sentence):
                    plain = normalised_tokens(word.text)
                    if word.counts and plain:
                        letters = min(len(word.plain), LONGEST_WORD)
                        always = {"any word": 1.0, "letter": float(letters)}
                        yield (
                            [always.get(name, float(name in word.looks)) for name in WEIGHTS],
                            plain[0] in gold,
                        )


def sentences_of(question: str, texts: Sequence[str]) -> list[str]:
    """Return the sentences in which the reader looks for the answer to a question."""
    lines = [line for text in texts for line in parse_lines(with_dates(text))]
    ranked = ranked_sentences(question, lines, people_named(question, lines))
    return searched([sentence for sentence in ranked if sentence.about])


def configured(*overrides: str) -> RunConfig:
    """Return a composed configuration."""
    return run_config(compose_config(overrides))


def rows(overrides: Sequence[str]) -> Iterator[str]:
    """Yield the scores of each reader and memory, by part, and what they say about the order."""
    runs = {
        (reader, memory): run_experiment(configured(*overrides, f"reader={reader}", *parts))
        for reader in READERS
        for memory, parts in MEMORIES.items()
    }
    convention = configured(*overrides).score_convention()
    records = {name: list(run.records) for name, run in runs.items()}
    for part, histories in parts_of(records["typed", "Oracle"]).items():
        yield f"{part}: {len(histories)} histories"
        for reader in READERS:
            scored = {
                memory: questions_in(records[reader, memory], histories, convention)
                for memory in MEMORIES
            }
            yield from (
                f"  {reader}, {memory}: {told(each, convention)}" for memory, each in scored.items()
            )
            yield f"  {reader}: {order(scored)}"
        yield f"  told the gold evidence: {gap(records, histories, convention)}"


def parts_of(records: Sequence[Record]) -> dict[str, set[str]]:
    """Return the ids of all histories, of the first five, and of the others."""
    ids = list(dict.fromkeys(record.history_id for record in records))
    parts = {"first five": ids[:CHOSEN_ON], "others": ids[CHOSEN_ON:], "all": ids}
    return {name: set(part) for name, part in parts.items() if part}


def questions_in(
    records: Sequence[Record], histories: set[str], convention: ScoreConvention
) -> list[tuple[str, QuestionScores]]:
    """Return the history and the scores of each question of some histories."""
    kept = [record for record in records if record.history_id in histories]
    owner = {record.query_id: record.history_id for record in kept}
    return [(owner[each.query_id], each) for each in score_questions(kept, convention)]


def told(scored: Sequence[tuple[str, QuestionScores]], convention: ScoreConvention) -> str:
    """Return F1 on answerable questions and on all, refusal F1 and recall, with intervals."""
    drawn = {"resamples": convention.resamples, "seed": convention.seed}
    answerable = [(history, each) for history, each in scored if not each.unanswerable]
    f1, everything = (
        bracketed_mean([(history, each.value("f1") or 0.0) for history, each in part], drawn)
        for part in (answerable, scored)
    )
    refusal = refusal_interval(
        [each.refused for _, each in scored],
        [each.unanswerable for _, each in scored],
        clusters=[history for history, _ in scored],
        **drawn,
    ).f1
    refused = f"{100 * refusal.mean:.1f} {bracketed(refusal, '.1f', 100)}" if refusal else "-"
    return (
        f"F1 {f1}, all questions {everything}, refusal F1 {refused}, recall@10 {recall(scored):.1f}"
    )


def bracketed_mean(values: Sequence[tuple[str, float]], drawn: Mapping[str, int]) -> str:
    """Return a mean in percent with its interval over histories."""
    found = mean_interval(
        np.array([value for _, value in values]), clusters=[name for name, _ in values], **drawn
    )
    return f"{100 * found.mean:.1f} {bracketed(found, '.1f', 100)}"


def recall(scored: Sequence[tuple[str, QuestionScores]]) -> float:
    """Return the mean recall@10 in percent; 0 if no question has one."""
    values = [value for _, each in scored if (value := each.value("recall_at_10")) is not None]
    return 100 * float(np.mean(values)) if values else 0.0


def order(scored: Mapping[str, Sequence[tuple[str, QuestionScores]]]) -> str:
    """Return the memory with the highest F1, and Kendall's tau between F1 and recall@10."""
    f1 = {
        memory: float(np.mean([each.value("f1") for _, each in rows if not each.unanswerable]))
        for memory, rows in scored.items()
    }
    found = {memory: recall(rows) for memory, rows in scored.items()}
    return f"highest F1: {max(f1, key=lambda name: f1[name])}, tau {kendall_tau(f1, found):.2f}"


def kendall_tau(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """Return (agreeing pairs - disagreeing pairs) / pairs of the same names.

    >>> kendall_tau({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 3, "c": 2})
    0.3333333333333333
    """
    signs = [
        np.sign(first[one] - first[other]) * np.sign(second[one] - second[other])
        for one, other in combinations(first, 2)
    ]
    return float(np.mean(signs))


def gap(
    records: Mapping[tuple[str, str], Sequence[Record]],
    histories: set[str],
    convention: ScoreConvention,
) -> str:
    """Return by how much F1 on answerable questions is higher than that of reader=extractive."""
    less, more = (
        [
            (history, each.value("f1") or 0.0)
            for history, each in questions_in(records[reader, "Oracle"], histories, convention)
            if not each.unanswerable
        ]
        for reader in READERS
    )
    differences = np.array([high - low for (_, high), (_, low) in zip(more, less, strict=True)])
    ratio = mean_ratio(differences, [history for history, _ in more])
    (test,) = paired_tests([ratio], resamples=convention.resamples, seed=convention.seed)
    found = test.difference
    return f"typed - extractive = {100 * found.mean:+.1f} {bracketed(found, '+.1f', 100)}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
