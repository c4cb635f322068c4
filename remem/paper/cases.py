"""The paper's worked examples as data: which question, and what each system answered.

The licences of the datasets forbid passing their texts on, so question and gold are kept as sums of
what the paper prints; their words come from the reader's own data.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict

from remem.paper.tables import read_yaml
from remem.types import Question

WORD = re.compile(r"\w+")
ARTICLES = {"a", "an", "the"}
SUM_LENGTH = 16
"""The number of hexadecimal digits that are kept of a sha256."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperAnswer:
    """What a system of the paper answered, and the judge's verdict or what the prose says of it."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    system: str
    memory: str
    reader: str
    answer: str
    verdict: Literal["T", "F"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A worked example; `id` is None where we have not seen the data that hold it.

    `question` and `gold` are sums; `gold_note` says how the data's gold differs from the printed
    one, and is empty where the two should be the same.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    key: str
    place: str
    about: str
    dataset: str
    id: str | None
    question: str
    gold: str
    gold_note: str = ""
    answers: tuple[PaperAnswer, ...]


def read_cases(folder: Path) -> tuple[Case, ...]:
    """Read the worked examples of a folder of tables."""
    return read_yaml(folder / "cases.yaml", tuple[Case, ...])


def text_sum(text: str) -> str:
    """Return a checksum of a text that ignores case, articles, spaces and punctuation.

    >>> text_sum("The weekend after 3June, 2022.") == text_sum("the weekend after 3 June 2022")
    True
    """
    words = WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    joined = "".join(word for word in words if word not in ARTICLES)
    return hashlib.sha256(joined.encode()).hexdigest()[:SUM_LENGTH]


def find_case(case: Case, questions: Iterable[Question]) -> Question | None:
    """Return the question with the text of a case; if there are several, the one with its id."""
    found = [question for question in questions if text_sum(question.query.text) == case.question]
    return next(
        (question for question in found if question.query.id == case.id),
        found[0] if found else None,
    )
