"""Classify the questions of a dataset into temporal classes, count them, and compare the counts.

The published classes come from an optional file, a copy of LoCoMo with the class that the paper's
model gave each question.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from remem.benchmarks.json_files import checked, field, find_data_file, read_json
from remem.config.run_config import RunConfig
from remem.config.settings import TemporalLabels
from remem.metrics.agreement import cohens_kappa
from remem.paper.layout import Tables
from remem.protocols import Benchmark
from remem.results.temporal_classes import (
    CLASSES,
    TEMPORAL,
    TemporalClass,
    class_by_rules,
    classes_file,
    in_category,
    read_classes,
)

CATEGORIES = (
    *(f"{TEMPORAL}:{class_name}" for class_name in CLASSES[:-1]),
    TEMPORAL,
    f"{TEMPORAL}_not",
)
"""The temporal classes, their total and the other questions, as named in the paper's tables."""
PUBLISHED_NAMES: Mapping[str, TemporalClass] = {
    **{class_name: class_name for class_name in CLASSES[:-1]},
    "none": CLASSES[-1],
}
"""The classes by their names in the file."""


@dataclass(frozen=True, slots=True)
class Classified:
    """The temporal classes of a dataset's questions, by query id.

    `by_model` is empty if no model has classified the questions. `published` is empty if there are
    no published classes, or if they have not been downloaded.
    """

    by_rules: Mapping[str, TemporalClass]
    by_model: Mapping[str, TemporalClass]
    model: str
    published: Mapping[str, TemporalClass]

    @property
    def assigned(self) -> Mapping[str, Mapping[str, TemporalClass]]:
        """The classes that we assigned, by rules and, if available, by a model."""
        by_model = {f"by {self.model}": self.by_model} if self.by_model else {}
        return {"by rules": self.by_rules, **by_model}

    def describe_agreement(self) -> str:
        """Describe how often rules and model agree; "" if either is missing."""
        both = [query for query in self.by_rules if query in self.by_model]
        if not both:
            return ""
        rules = [self.by_rules[query] for query in both]
        model = [self.by_model[query] for query in both]
        agreed = sum(rule == other for rule, other in zip(rules, model, strict=True))
        beyond_chance = cohens_kappa(rules, model)
        shown = "undefined" if beyond_chance is None else f"{beyond_chance:.3f}"
        return (
            f"rules and {self.model} agree on {agreed} of {len(both)} questions, "
            f"Cohen's kappa {shown}"
        )


def classified(config: RunConfig, benchmark: Benchmark) -> Classified:
    """Return the published classes, and those that rules and the configured model assign."""
    texts = question_texts(benchmark)
    return Classified(
        {query: class_by_rules(text) for query, text in texts.items()},
        read_classes(classes_file(config), texts, config.server),
        config.llm,
        published_classes(config, texts),
    )


def question_texts(benchmark: Benchmark) -> dict[str, str]:
    """Return the texts of all questions by query id."""
    return {
        question.query.id: question.query.text
        for history in benchmark.histories()
        for question in benchmark.questions(history.id)
    }


def count_category(classes: Mapping[str, TemporalClass], category: str) -> int:
    """Count the questions whose class belongs to a category."""
    return sum(in_category(category, class_name) for class_name in classes.values())


def show_counts(classes: Classified, dataset: str, paper: Tables) -> RichTable:
    """Return a table that shows the counts of a dataset next to the counts in the paper."""
    printed = dict(_printed(dataset, paper))
    table = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    table.add_column("class")
    published = {"published": classes.published} if classes.published else {}
    shown = {**classes.assigned, **published}
    for heading in (*shown, *printed):
        table.add_column(heading, justify="right")
    for category in CATEGORIES:
        name = {TEMPORAL: "temporal", f"{TEMPORAL}_not": CLASSES[-1]}.get(category, category)
        counts = [str(count_category(assigned, category)) for assigned in shown.values()]
        theirs = [numbers.get(category, "-") for numbers in printed.values()]
        table.add_row(Text(name.removeprefix(f"{TEMPORAL}:")), *counts, *theirs)
    return table


def confusion(
    published: Mapping[str, TemporalClass], assigned: Mapping[str, TemporalClass]
) -> Counter[tuple[TemporalClass, TemporalClass]]:
    """Count each pair of published and assigned class over the questions that have both.

    >>> confusion({"a": "order", "b": "order"}, {"a": "order", "b": "other", "c": "order"})
    Counter({('order', 'order'): 1, ('order', 'other'): 1})
    """
    return Counter(
        (name, assigned[query]) for query, name in published.items() if query in assigned
    )


def show_confusion(counts: Counter[tuple[TemporalClass, TemporalClass]], by: str) -> RichTable:
    """Return a table with a row for each published class and a column for each assigned class."""
    right, questions = sum(counts[name, name] for name in CLASSES), counts.total()
    accuracy = right / questions if questions else 0.0
    table = RichTable(
        title=f"Classified {by}: {right} of {questions} as published, accuracy {accuracy:.3f}",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        show_edge=False,
    )
    for heading in ("published", *(class_name.replace("_", " ") for class_name in CLASSES)):
        table.add_column(heading, justify="left" if heading == "published" else "right")
    for published in CLASSES:
        row = (str(counts[published, assigned] or "-") for assigned in CLASSES)
        table.add_row(published.replace("_", " "), *row)
    return table


def names_published(config: RunConfig) -> bool:
    """Return whether published classes exist for the dataset, downloaded or not."""
    return config.settings.dataset.temporal_labels is not None


def has_published(config: RunConfig) -> bool:
    """Return whether the file of the published classes has been downloaded."""
    labels = config.settings.dataset.temporal_labels
    if labels is None:
        return False
    try:
        return find_data_file(*_place(config, labels)).is_file()
    except FileNotFoundError:
        return False


def published_classes(config: RunConfig, questions: Mapping[str, str]) -> dict[str, TemporalClass]:
    """Return the published classes by query id; none if the file has not been downloaded.

    Args:
        config: The configuration with the dataset and its folder.
        questions: The texts of questions by query id; a class is left out if it was published
            for a different text.

    Raises:
        ValueError: The file is malformed, or has an unknown class.
    """
    labels = config.settings.dataset.temporal_labels
    if labels is None or not has_published(config):
        return {}
    raw, source = read_json(*_place(config, labels))
    return {
        query: name
        for query, text, name in _labelled(raw, source.name)
        if " ".join(questions.get(query, "").split()) == " ".join(text.split())
    }


def _labelled(raw: Any, name: str) -> Iterator[tuple[str, str, TemporalClass]]:
    """Yield query id, text and class of each question, except those without a label."""
    for position, conversation in enumerate(checked(raw, list, name)):
        history = field(conversation, "sample_id", str, f"conversation {position} of {name}")
        for index, item in enumerate(field(conversation, "qa", list, f"{history} of {name}")):
            query = f"{history}/q{index}"
            place = f"{query} of {name}"
            label = field(item, "temporal_category", str, place)
            if not item.get("classification_success", True):
                continue
            if label not in PUBLISHED_NAMES:
                class_names = ", ".join(PUBLISHED_NAMES)
                raise ValueError(
                    f"{place} has the temporal category {label!r}, expected one of {class_names}"
                )
            yield query, field(item, "question", str, place), PUBLISHED_NAMES[label]


def _place(config: RunConfig, labels: TemporalLabels) -> tuple[Path, str, str]:
    return Path(config.settings.paths.data), labels.set, labels.file


def _printed(dataset: str, paper: Tables) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each table of the paper that counts a dataset's classes, with its counts."""
    for table in paper.values():
        counts = {
            cell.measured.category: cell.number.printed
            for cell in table.cells.values()
            if cell.made_with == "labelled_by_model" and cell.measured.dataset == dataset
        }
        if counts:
            yield f"Table {table.header.number} of the paper", counts
