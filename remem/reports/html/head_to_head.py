"""Compare two runs by the questions that only one of them answers correctly.

The paper compares REMem with a RAG system and with TISER on a few such questions, chosen by hand.
Here all of them are counted, and a sample is drawn with a seed.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from remem.files.plain_text import cut, printable
from remem.results.flips import (
    RIGHT,
    Better,
    Flip,
    FlipRow,
    asked_of_both,
    evidence_found,
    flip_rows,
    flips,
)
from remem.results.run import Run
from remem.results.run_names import RunNames, run_names
from remem.types import Record

ALL = "all"
DIRECTIONS: tuple[Better, Better] = ("first", "second")


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """The questions that only one of two runs answers correctly.

    `parts` says what answered in each run. `asked` counts the questions that both runs have a score
    for, by category. `sample` has the drawn questions, those that only the first run has right
    before those of the second.
    """

    names: RunNames
    parts: tuple[str, str]
    heading: str
    seed: int
    asked: Counter[str]
    rows: Mapping[str, FlipRow]
    sample: tuple[Flip, ...]


def meet(first: Run, second: Run, *, score: str, category: str | None, sampled: int) -> HeadToHead:
    """Count the questions that only one run answers correctly, and draw a sample of each kind.

    Args:
        first: The first run.
        second: A run over the same questions, scored by the same convention.
        score: The score that decides: an answer with 0.5 or more is right.
        category: The only category to compare; None compares all questions.
        sampled: The number of questions to draw of each kind; the seed is that of the convention of
            the first run.
    """
    found = flips(first, second, score, category)
    by_category = flip_rows(found, [flip.first.gold.category for flip in found])
    asked = asked_of_both(first, second, score, category)
    return HeadToHead(
        names=run_names(first, second),
        parts=(_parts(first), _parts(second)),
        heading=first.convention.heading(score),
        seed=first.convention.seed,
        asked=asked + Counter({ALL: asked.total()}),
        rows={row.name: row for row in (*by_category, *flip_rows(found, [ALL] * len(found)))},
        sample=tuple(_draw_flips(found, sampled, first.convention.seed)),
    )


def for_terminal(met: HeadToHead) -> RenderableType:
    """Return the counts and the drawn questions with both answers, for the terminal."""
    counts = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    only = [f"only {name} right" for name in met.names]
    for heading in ("category", "n", *only):
        counts.add_column(Text(heading), justify="left" if heading == "category" else "right")
    for name in (*sorted(met.asked.keys() - {ALL}), ALL):
        row = met.rows.get(name, FlipRow(name, 0, 0))
        counts.add_row(name, str(met.asked[name]), str(row.first), str(row.second))
    named = (f"{name}: {parts}" for name, parts in zip(met.names, met.parts, strict=True))
    said = (
        f"right is {met.heading} of {RIGHT} or more; the questions are drawn with seed {met.seed}"
    )
    lines = (line for flip in met.sample for line in _format_flip(flip, met.names))
    return Group(*map(Text, named), counts, *map(Text, (said, *lines)))


def _parts(run: Run) -> str:
    return f"reader {run.config.settings.reader.name}, llm {run.config.llm}"


def _draw_flips(found: Sequence[Flip], sampled: int, seed: int) -> Iterator[Flip]:
    """Draw questions of each kind without replacement, in the order of the records."""
    rng = np.random.default_rng(seed)
    for better in DIRECTIONS:
        of_kind = [flip for flip in found if flip.better == better]
        chosen = rng.choice(len(of_kind), size=min(sampled, len(of_kind)), replace=False)
        yield from (of_kind[at] for at in sorted(chosen))


def _format_flip(flip: Flip, names: RunNames) -> Iterator[str]:
    asked, better = flip.first, names[DIRECTIONS.index(flip.better)]
    yield ""
    yield f"only {better} right: {asked.query_id}, category {asked.gold.category}"
    yield f"  question: {_short(asked.question)}"
    yield f"  gold: {' | '.join(map(_short, asked.gold.answers))}"
    for name, record in zip(names, (flip.first, flip.second), strict=True):
        yield f"  {name}: {_short(record.answer) or '(empty)'}"
        yield f"    {_evidence(record)}"
    step = "" if flip.parting.step is None else f" at step {flip.parting.step}"
    yield f"  diverged{step}: {flip.parting.what}"


def _evidence(record: Record) -> str:
    """Return a sentence on which of the gold evidence the run retrieved."""
    gold = record.gold.evidence
    if not gold:
        return "no gold evidence is known"
    found = evidence_found(record)
    there = [message for message in gold if message in found]
    named = f": {', '.join(there)}" if there else ""
    return f"evidence found: {len(there)} of {len(gold)}{named}"


def _short(text: str) -> str:
    return cut(printable(text))
