"""Count the questions of each temporal class, by rules and by a model, and their agreement."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from remem.config.run_config import RunConfig
from remem.evaluation.model_classes import classes_file, read_classes
from remem.evaluation.published_classes import published_classes
from remem.evaluation.temporal_classes import (
    CLASSES,
    TEMPORAL,
    TemporalClass,
    class_by_rules,
    in_category,
)
from remem.paper.check import Tables
from remem.protocols import Benchmark

CATEGORIES = (
    *(f"{TEMPORAL}:{class_name}" for class_name in CLASSES[:-1]),
    TEMPORAL,
    f"{TEMPORAL}_not",
)
"""The temporal classes, their sum and the other questions, as named in the paper's tables."""


@dataclass(frozen=True, slots=True)
class Classified:
    """The temporal classes of a dataset's questions, by query id.

    `by_model` is empty if no model has classified them, `published` if there are no published
    classes or they have not been fetched.
    """

    by_rules: Mapping[str, TemporalClass]
    by_model: Mapping[str, TemporalClass]
    model: str
    published: Mapping[str, TemporalClass] = field(default_factory=dict)

    @property
    def told(self) -> Mapping[str, Mapping[str, TemporalClass]]:
        """Our classifications: by rules, and by a model if one has classified the questions."""
        by_model = {f"by {self.model}": self.by_model} if self.by_model else {}
        return {"by rules": self.by_rules, **by_model}

    def told_agreement(self) -> str:
        """Describe the agreement of rules and model; "" if one of the two is missing."""
        both = [query for query in self.by_rules if query in self.by_model]
        if not both:
            return ""
        rules = [self.by_rules[query] for query in both]
        told = [self.by_model[query] for query in both]
        agreed = sum(rule == other for rule, other in zip(rules, told, strict=True))
        found = kappa(rules, told)
        shown = "undefined" if found is None else f"{found:.3f}"
        return (
            f"rules and {self.model} agree on {agreed} of {len(both)} questions, "
            f"Cohen's kappa {shown}"
        )


def classified(config: RunConfig, benchmark: Benchmark) -> Classified:
    """Return the classes by rules, those by the configured model, and the published ones."""
    asked = words(benchmark)
    return Classified(
        {query: class_by_rules(text) for query, text in asked.items()},
        read_classes(classes_file(config), asked, config.server),
        config.llm,
        published_classes(config, asked),
    )


def words(benchmark: Benchmark) -> dict[str, str]:
    """Return the texts of all questions by query id."""
    return {
        question.query.id: question.query.text
        for history in benchmark.histories()
        for question in benchmark.questions(history.id)
    }


def count(classes: Mapping[str, TemporalClass], category: str) -> int:
    """Count the questions whose class belongs to a category."""
    return sum(in_category(category, class_name) for class_name in classes.values())


def show_counts(found: Classified, dataset: str, paper: Tables) -> RichTable:
    """Return a table of the counts of a dataset next to those printed in the paper."""
    printed = dict(_printed(dataset, paper))
    table = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    table.add_column("class")
    shown = {**found.told, **({"published": found.published} if found.published else {})}
    for heading in (*shown, *printed):
        table.add_column(heading, justify="right")
    for category in CATEGORIES:
        name = {TEMPORAL: "temporal", f"{TEMPORAL}_not": CLASSES[-1]}.get(category, category)
        counts = [str(count(classes, category)) for classes in shown.values()]
        theirs = [numbers.get(category, "-") for numbers in printed.values()]
        table.add_row(Text(name.removeprefix(f"{TEMPORAL}:")), *counts, *theirs)
    return table


def kappa(first: Sequence[str], second: Sequence[str]) -> float | None:
    """Return Cohen's kappa of two classifications; None if both have the same single class.

    >>> kappa(["a", "a", "b", "c"], ["a", "b", "b", "c"])  # 3/4 agree, 5/16 would by chance
    0.6363636363636364
    """
    pairs = list(zip(first, second, strict=True))
    agreed = sum(label == other for label, other in pairs)
    by_chance = sum(first.count(label) * second.count(label) for label in set(first)) / len(pairs)
    return (agreed - by_chance) / (len(pairs) - by_chance) if by_chance < len(pairs) else None


def _printed(dataset: str, paper: Tables) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each table of the paper that counts a dataset's classes, with its counts."""
    for table in paper.values():
        found = {
            cell.measured.category: cell.number.printed
            for cell in table.cells.values()
            if cell.made_with == "labelled_by_model" and cell.measured.dataset == dataset
        }
        if found:
            yield f"Table {table.header.number} of the paper", found
