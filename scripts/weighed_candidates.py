"""Measure whether a small model chooses better among the candidates of reader=typed.

    make tiny-llm
    REMEM_DATA=<folder> python scripts/weighed_candidates.py 100   # questions of each half

Told the gold evidence, questions of LoCoMo that ask for words get up to six candidates: the answer
of the rules, and the spans with the highest expected F1. SmolLM2 returns the likelihood of each
after three lines of evidence. The weights of expected F1, "is the answer of the rules" and
likelihood are fitted on the first five conversations and measured on the other five, and the other
way round. Replies are kept in the call store, so a second start is quick.
"""

import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from typed_reader import CHOSEN_ON, configured

from remem.evaluation.interval_text import bracketed
from remem.llm.likelihood import LikelihoodModel, LikelihoodRequest
from remem.metrics.intervals import mean_ratio
from remem.metrics.paired import paired_tests
from remem.metrics.qa import token_f1
from remem.protocols import SeesGold
from remem.readers.attribution import people_named
from remem.readers.lines import parse_lines
from remem.readers.question_kinds import asks_list, options, question_kind
from remem.readers.ranked_sentences import RankedSentence, ranked_sentences
from remem.readers.rendering import evidence_texts
from remem.readers.resolving import with_dates
from remem.readers.typed import searched
from remem.readers.word_odds import best_spans, likely_spans
from remem.types import Evidence, Question

SETTINGS = ("dataset=locomo", "method=oracle_message", "llm=smollm2", "reader=direct")
CANDIDATES, LINES, CHARACTERS = 6, 3, 400
GOLD_WORDS = 2.0
PENALTY = 1.0
SEED = 7


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the features and F1 of its candidates; the first is the rules' answer."""

    conversation: int
    features: NDArray[np.float64]
    f1: NDArray[np.float64]


def main(arguments: Sequence[str]) -> int:
    """Ask the model about each candidate, and print what its likelihoods are worth."""
    each = int(arguments[0]) if arguments else 100
    config = configured(*SETTINGS, "prompts=few_shot")
    if config.chat_model is None:
        raise TypeError("llm=smollm2 configures no model")
    model = config.chat_model.get()
    chosen = drawn(list(told()), each)
    begun = time.perf_counter()
    asked = [found for place in chosen if (found := weighed(model, *place)) is not None]
    took = time.perf_counter() - begun
    sys.stdout.write(f"{len(asked)} questions, {took / len(asked):.1f} s each (0 if stored)\n")
    first = [one for one in asked if one.conversation < CHOSEN_ON]
    others = [one for one in asked if one.conversation >= CHOSEN_ON]
    for name, fitted_on, measured in (
        ("other five", first, others),
        ("first five", others, first),
    ):
        sys.stdout.write(f"{name}: {compared(measured, fitted(fitted_on))}\n")
    return 0


def told() -> Iterator[tuple[int, Question, Evidence]]:
    """Yield the questions that ask for words, with their conversation and gold evidence."""
    config = configured(*SETTINGS, "prompts=few_shot")
    benchmark, new_memory = config.build_benchmark(), config.memory_factory()
    for number, history in enumerate(benchmark.histories()):
        memory, questions = new_memory(), list(benchmark.questions(history.id))
        memory.index(history)
        if isinstance(memory, SeesGold):
            memory.see_gold(questions)
        for question in questions:
            text = question.query.text
            words = question_kind(text) == "words" and not options(text)
            if question.gold.answerable and words:
                yield number, question, memory.recall(question.query)


def drawn(
    places: Sequence[tuple[int, Question, Evidence]], each: int
) -> list[tuple[int, Question, Evidence]]:
    """Return a seeded sample of both halves of the conversations."""
    draw = random.Random(SEED)
    halves = (
        [place for place in places if place[0] < CHOSEN_ON],
        [place for place in places if place[0] >= CHOSEN_ON],
    )
    return [place for half in halves for place in draw.sample(half, min(each, len(half)))]


def weighed(
    model: LikelihoodModel, conversation: int, question: Question, evidence: Evidence
) -> Asked | None:
    """Return the candidates of a question with their features, or None if there is none."""
    text = question.query.text
    lines = [line for told in evidence_texts(evidence) for line in parse_lines(with_dates(told))]
    ranked = ranked_sentences(text, lines, people_named(text, lines))
    about = [sentence for sentence in ranked if sentence.about]
    found = candidates(text, searched(about))
    if not found:
        return None
    prompt = f"{shown(about)}\n\nQuestion: {text}\nShort answer:"
    rows = []
    for place, (candidate, expected) in enumerate(found.items()):
        request = LikelihoodRequest("read", prompt, f" {candidate}")
        log_probabilities, _ = model.likelihood(request)
        rows.append((expected, float(place == 0), float(np.mean(log_probabilities))))
    f1 = [token_f1(candidate, question.gold.answers) for candidate in found]
    return Asked(conversation, np.array(rows), np.array(f1))


def candidates(question: str, sentences: Sequence[str]) -> dict[str, float]:
    """Return the rules' answer and the likeliest spans, each with its expected F1."""
    spans = likely_spans(question, sentences, GOLD_WORDS)
    if not spans:
        return {}
    most = 4 if asks_list(question) else 1
    rules = ", ".join(best_spans(question, sentences, GOLD_WORDS, most))
    found = {rules: spans[0].expected}
    for span in spans:
        if len(found) < CANDIDATES:
            found.setdefault(span.text, span.expected)
    return found


def shown(about: Sequence[RankedSentence]) -> str:
    """Return the lines with the best sentences, without their dates."""
    best = sorted(about, key=lambda sentence: -sentence.share)
    lines = list(dict.fromkeys(sentence.line for sentence in best))[:LINES]
    return "\n".join(f"{line.speaker}: {line.body[:CHARACTERS]}" for line in lines)


def fitted(asked: Sequence[Asked]) -> NDArray[np.float64]:
    """Return the weights that predict F1 best, relative to a question's mean, by least squares."""
    looks = np.concatenate([one.features - one.features.mean(axis=0) for one in asked])
    f1 = np.concatenate([one.f1 - one.f1.mean() for one in asked])
    square = looks.T @ looks + PENALTY * np.eye(looks.shape[1])
    return np.asarray(np.linalg.solve(square, looks.T @ f1))


def compared(asked: Sequence[Asked], weights: NDArray[np.float64]) -> str:
    """Return F1 of the rules, of the weighed choice and of the best candidate, as text."""
    rules = np.array([one.f1[0] for one in asked])
    choice = np.array([one.f1[np.argmax(one.features @ weights)] for one in asked])
    best = np.array([one.f1.max() for one in asked])
    ratio = mean_ratio(choice - rules, [str(one.conversation) for one in asked])
    (test,) = paired_tests([ratio], resamples=10_000, seed=0)
    change = test.difference
    return (
        f"n = {len(asked)}, F1 of the rules {100 * rules.mean():.1f}, weighed "
        f"{100 * choice.mean():.1f}, best candidate {100 * best.mean():.1f}; weighed - rules = "
        f"{100 * change.mean:+.1f} {bracketed(change, '+.1f', 100)}"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
