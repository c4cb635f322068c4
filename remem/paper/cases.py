"""The paper's worked examples as data: the question, and the answer of each system.

The licences of the datasets forbid passing on their texts, so questions and gold answers are stored
as checksums; their words come from the user's own data.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict

from remem.paper.layout import read_yaml
from remem.types import Question

WORD = re.compile(r"\w+")
ARTICLES = {"a", "an", "the"}
SUM_LENGTH = 16
"""The number of hexadecimal digits that are kept of a sha256."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperAnswer:
    """The answer of a system in the paper, and the judge's verdict or the comment in the text."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    system: str
    memory: str
    reader: str
    answer: str
    verdict: Literal["T", "F"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A worked example; `id` is None if we have not seen the data that contains it.

    `question` and `gold` are checksums. `gold_note` says how the data's gold answer differs from
    the printed one; it is empty if both should be the same.
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
    same_text = [
        question for question in questions if text_sum(question.query.text) == case.question
    ]
    return next(
        (question for question in same_text if question.query.id == case.id),
        same_text[0] if same_text else None,
    )
