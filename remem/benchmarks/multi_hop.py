"""MuSiQue and 2WikiMultihopQA, each on a corpus of passages (paper, Semantic Memory Capability).

The files have the formats of HippoRAG and its successors: a corpus of passages (title and text) and
a list of questions. A question gives its evidence as supporting paragraphs or as triples from
articles, or has none.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from remem.benchmarks.json_files import checked, field, gold_text, read_json
from remem.benchmarks.loaded import BenchmarkOnLoaded, LoadedBenchmark
from remem.types import Episode, Gold, History, Message, Query, Question

MUSIQUE_ID = re.compile(r"(?:musique_)?(?P<hops>[234])hop[0-9]*__.*")
HOPS = {"2": "two-hop", "3": "three-hop", "4": "four-hop"}

QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")
"""The qualifier in a Wikipedia title, such as "Kres (film)"."""

Passages = Mapping[tuple[str, str], str]
"""The ids of the passages by title and text."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The ids of the passages of a corpus, in three indexes.

    The key is the title and text in `passages`, the title in `titled`, and the title without its
    qualifier, such as "(film)", in `bare`.
    """

    passages: Passages
    titled: Mapping[str, Sequence[str]]
    bare: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, passages: Passages) -> "Corpus":
        """Index the passages by title."""
        titled: dict[str, list[str]] = {}
        bare: dict[str, list[str]] = {}
        for (title, _), passage in passages.items():
            titled.setdefault(title, []).append(passage)
            bare.setdefault(_bare(title), []).append(passage)
        return cls(passages, titled, bare)

    def find(self, name: str) -> Sequence[str]:
        """Return the passages with this title.

        If there are none, search for titles that differ only in the qualifier, and return such a
        passage if there is exactly one.
        """
        articles = self.bare.get(_bare(name), ())
        return self.titled.get(name, articles if len(articles) == 1 else ())


class MultiHop(BenchmarkOnLoaded):
    """Questions and a corpus, both read from one folder of the data."""

    def __init__(self, *, data: str, folder: str, questions: str, corpus: str) -> None:
        raw_questions, questions_file = read_json(Path(data), folder, questions)
        raw_corpus, corpus_file = read_json(Path(data), folder, corpus)
        passages = read_passages(raw_corpus, corpus_file.name)
        history = History(
            folder,
            tuple(
                Episode(i, (Message(i, speaker="", text=f"{title}\n{text}"),))
                for (title, text), i in passages.items()
            ),
        )
        known = Corpus.of(passages)
        asked = [
            read_question(record, index, folder, known, f"record {index} of {questions_file.name}")
            for index, record in enumerate(checked(raw_questions, list, questions_file.name))
        ]
        self._loaded = LoadedBenchmark([(history, asked)], (questions_file, corpus_file))


def read_passages(raw: Any, name: str) -> dict[tuple[str, str], str]:
    """Return the ids of the passages by title and text; raise ValueError for duplicates."""
    passages: dict[tuple[str, str], str] = {}
    for number, record in enumerate(checked(raw, list, name), start=1):
        where = f"passage {number} of {name}"
        key = (field(record, "title", str, where), field(record, "text", str, where))
        if key in passages:
            raise ValueError(
                f"{where} and {passages[key]} have the same text and the title {key[0]!r}: remove "
                f"one"
            )
        passages[key] = f"p{number:05d}"
    return passages


def read_question(record: Any, index: int, history_id: str, corpus: Corpus, where: str) -> Question:
    """Return one question; it has no evidence if the file has neither paragraphs nor triples."""
    query_id = field(record, "id", str, where)
    where = f"{query_id} ({where})"
    aliases = field(record, "answer_aliases", list, where) if "answer_aliases" in record else []
    golds = (gold_text(gold, where) for gold in [record.get("answer"), *aliases])
    support = read_support(record, corpus.passages, where)
    articles = () if "paragraphs" in record else read_articles(record, where)
    named = [passage for name in articles for passage in corpus.find(name)]
    gold = Gold(
        answers=tuple(dict.fromkeys(golds)),
        category=read_category(record, query_id, where),
        evidence=tuple(dict.fromkeys([*support, *named])),
        unresolved=tuple(name for name in articles if not corpus.find(name)),
        group=query_id,
    )
    text = field(record, "question", str, where).strip()
    return Question(Query(query_id, history_id, index, text), gold)


def read_category(record: Any, query_id: str, where: str) -> str:
    """Return the question type; if the record states none, the number of hops in its MuSiQue id."""
    stated = checked(record.get("question_type") or "", str, f"the question type of {where}")
    if stated:
        return stated
    match = MUSIQUE_ID.fullmatch(query_id)
    if match is None:
        raise ValueError(
            f"{where} has neither a question_type nor an id such as '2hop__13548_13529'"
        )
    return HOPS[match["hops"]]


def read_support(record: Any, passages: Passages, where: str) -> tuple[str, ...]:
    """Return the ids of the distinct passages that a question marks as supporting."""
    support = []
    for paragraph in field(record, "paragraphs", list, where) if "paragraphs" in record else []:
        title = field(paragraph, "title", str, f"a paragraph of {where}")
        text = field(paragraph, "paragraph_text", str, f"a paragraph of {where}")
        supporting = paragraph.get("is_supporting")
        if not isinstance(supporting, bool):
            raise ValueError(
                f"{title!r} of {where} has is_supporting {supporting!r}, expected a bool"
            )
        if supporting and (title, text) not in passages:
            raise ValueError(
                f"{where} is supported by a paragraph {title!r} that is not in the corpus: fetch "
                f"both files from the same release"
            )
        if supporting:
            support.append(passages[title, text])
    return tuple(dict.fromkeys(support))


def read_articles(record: Any, where: str) -> tuple[str, ...]:
    """Return the distinct articles in the evidence of a question.

    In 2Wiki, the evidence has a triple for each step. A triple comes from the article on its
    subject, so its subject is the name of the article.
    """
    triples = record.get("evidence") or []  # MuSiQue's are ""
    articles = []
    for triple in checked(triples, list, f"the evidence of {where}"):
        match triple:
            case [str(subject), str(), str()]:
                articles.append(subject)
            case _:
                raise ValueError(
                    f"{where} has {triple!r} as evidence, expected [subject, relation, object]"
                )
    return tuple(dict.fromkeys(articles))


def _bare(title: str) -> str:
    return QUALIFIER.sub("", title).strip(' "').casefold()
