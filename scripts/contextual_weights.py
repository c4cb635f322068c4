"""Choose the weights of conf/ranking on generated dialogues and on conversations 0-4 of LoCoMo.

    REMEM_DATA=<folder> python scripts/contextual_weights.py
    REMEM_DATA=<folder> python scripts/contextual_weights.py --embedder minilm   # minutes to embed

Each weight in turn takes the value of its grid with the highest recall@10 of source messages over
gists, as the mean of both sets, twice over. Conversations 5-9 of LoCoMo and REALTALK are only
measured, after that. No text is printed or kept.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from remem.config.instantiation import built
from remem.config.run_config import compose_config, run_config
from remem.evaluation.interval_text import bracketed
from remem.index.bm25s_lexical import Bm25sLexical
from remem.index.contextual_ranking import ContextualRanking, PlacedItem, Weights
from remem.index.numpy_dense import NumpyDense
from remem.memory.rules_extractor import RulesExtractor
from remem.metrics.intervals import mean_ratio
from remem.metrics.paired import paired_tests
from remem.metrics.retrieval import evidence_recall
from remem.passages import dated_line
from remem.protocols import Embedder, Hit, LexicalIndex
from remem.types import Episode, History, Question

GRIDS: dict[str, tuple[Any, ...]] = {
    "neighbours": (0.2, 0.3, 0.4, 0.5, 0.6),
    "reach": (1, 2, 3, 4),
    "reply": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8),
    "session": (0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2),
    "speaker": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5),
    "semantic": (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0),
}
START = Weights(neighbours=0.4, reach=2, reply=0.0, session=0.4, speaker=0.0, semantic=0.0)
ALONE = Weights(neighbours=0.0, reach=0, reply=0.0, session=0.0, speaker=0.0, semantic=0.0)
ROUNDS = 2
LEAST_GAIN = 0.0005
"""A smaller gain in mean recall does not change a weight."""
TOP_K, RESAMPLES, SEED = 10, 9999, 0


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the scores that no weight changes."""

    question: Question
    lexical: Sequence[Hit]
    semantic: Sequence[Hit]


@dataclass(frozen=True, slots=True)
class Chat:
    """The messages of one history as searched texts, and its questions with evidence."""

    history: str
    items: Sequence[PlacedItem]
    message_ids: Sequence[str]
    asked: Sequence[Asked]


def main() -> None:
    """Choose the weights, then print the recall of each set."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--embedder", default="", help="of conf/embedder; without one, BM25 alone")
    embedder = parser.parse_args().embedder
    locomo = chats("locomo", gist_texts, embedder)
    generated = chats("generated_dialogues", gist_texts, embedder)
    weights = chosen([generated, locomo[:5]], with_embeddings=bool(embedder))
    say("weights: " + ", ".join(f"{name} {value:g}" for name, value in asdict(weights).items()))
    dated = chats("locomo", dated_texts)
    show(
        "generated dialogues (chosen on)",
        generated,
        chats("generated_dialogues", dated_texts),
        weights,
    )
    show("LoCoMo, conversations 0-4 (chosen on)", locomo[:5], dated[:5], weights)
    show("LoCoMo, conversations 5-9", locomo[5:], dated[5:], weights)
    real = chats("realtalk", gist_texts, embedder)
    show("REALTALK", real, chats("realtalk", dated_texts), weights)


def show(title: str, gists: Sequence[Chat], dated: Sequence[Chat], weights: Weights) -> None:
    """Print the recall of each search, and its difference from dated BM25."""
    lexical = replace(weights, semantic=0.0)
    found = {
        "BM25, dated": recalls(dated, ALONE),
        "BM25, dated, in context": recalls(dated, lexical),
        "gists": recalls(gists, replace(ALONE, semantic=weights.semantic)),
        "gists, in context": recalls(gists, weights),
    }
    clusters = [chat.history for chat in gists for _ in chat.asked]
    say(f"{title}: {len(clusters)} questions with evidence, recall@{TOP_K}")
    for name, shares in found.items():
        say(f"  {name:25} {tested(shares, clusters)}")
    for name in ("BM25, dated", "BM25, dated, in context"):
        gap = found["gists, in context"] - found[name]
        say(f"  gists, in context - {name}: {tested(gap, clusters, sign='+')}")


def tested(shares: np.ndarray, clusters: Sequence[str], sign: str = "") -> str:
    """Return a mean in per cent with its interval over histories."""
    (test,) = paired_tests([mean_ratio(shares, clusters)], resamples=RESAMPLES, seed=SEED)
    mean = 100 * test.difference.mean
    return f"{mean:{sign}.1f} {bracketed(test.difference, f'{sign}.1f', 100)}"


def chosen(sets: Sequence[Sequence[Chat]], *, with_embeddings: bool) -> Weights:
    """Return the weights with the highest mean recall of the sets."""
    weights = START

    def mean_recall(tried: Weights) -> float:
        return float(np.mean([recalls(each, tried).mean() for each in sets]))

    best = mean_recall(weights)
    for _ in range(ROUNDS):
        for name, grid in GRIDS.items():
            for value in grid if with_embeddings or name != "semantic" else ():
                tried = replace(weights, **{name: value})
                found = mean_recall(tried)
                if found > best + LEAST_GAIN:
                    best, weights = found, tried
    return weights


def recalls(found: Sequence[Chat], weights: Weights) -> np.ndarray:
    """Return the recall of each question."""
    shares = []
    for chat in found:
        ranking = ContextualRanking(weights=weights, lexical=new_lexical)
        ranking.add(chat.items)
        for asked in chat.asked:
            hits = ranking.rank(
                asked.question.query.text, TOP_K, lexical=asked.lexical, semantic=asked.semantic
            )
            sources = [(chat.message_ids[position],) for position, _ in hits]
            shares.append(evidence_recall(sources, asked.question.gold.evidence, TOP_K))
    return np.array(shares, dtype=np.float64)


def gist_texts(episode: Episode) -> list[str]:
    """Return the gist of each message, as REMem searches it."""
    return [gist.text for gist in RulesExtractor().extract(episode).gists]


def dated_texts(episode: Episode) -> list[str]:
    """Return each message with its date, as `convention.run.embed_date=true` searches it."""
    return [dated_line(message) for message in episode.messages]


def chats(dataset: str, texts: Callable[[Episode], list[str]], embedder: str = "") -> list[Chat]:
    """Return every history of a dataset, with its questions that have evidence."""
    choices = [f"dataset={dataset}", *([f"embedder={embedder}"] if embedder else [])]
    config = run_config(compose_config(choices))
    benchmark = config.build_benchmark()
    encoder: Embedder | None = built(config.settings.embedder.build) if embedder else None
    return [
        chat_of(history, benchmark.questions(history.id), texts, encoder)
        for history in benchmark.histories()
    ]


def chat_of(
    history: History,
    questions: Sequence[Question],
    texts: Callable[[Episode], list[str]],
    encoder: Embedder | None,
) -> Chat:
    """Return a history with the scores of its questions; without an encoder, of BM25 alone."""
    items = [
        PlacedItem(episode.id, text) for episode in history.episodes for text in texts(episode)
    ]
    asked = [question for question in questions if question.gold.evidence]
    queries = [question.query.text for question in asked]
    lexical = new_lexical()
    lexical.add([item.text for item in items])
    words = [lexical.search(query, len(items)) for query in queries]
    meanings = semantic_hits(items, queries, encoder) if encoder else [[] for _ in queries]
    return Chat(
        history.id,
        items,
        [message.id for message in history.messages()],
        [Asked(*each) for each in zip(asked, words, meanings, strict=True)],
    )


def semantic_hits(
    items: Sequence[PlacedItem], queries: Sequence[str], encoder: Embedder
) -> list[list[Hit]]:
    """Return the similarity of every item to each query."""
    index = NumpyDense()
    index.add(encoder.embed_documents([item.text for item in items]))
    if not queries:
        return []
    return [
        index.search(vector, len(items)) for vector in encoder.embed_queries(queries, "passage")
    ]


def new_lexical() -> LexicalIndex:
    """Return an empty BM25 index with the settings of conf/lexical/bm25s.yaml."""
    return Bm25sLexical(k1=1.5, b=0.75, method="lucene")


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
