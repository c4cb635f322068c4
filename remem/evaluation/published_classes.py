"""Read the published temporal classes of LoCoMo's questions from the released data file.

The file is optional. It contains LoCoMo with a class for each question by the paper's model.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from remem.benchmarks.json_fields import checked, field
from remem.benchmarks.json_files import find_file, read_json
from remem.config.run_config import RunConfig
from remem.config.settings import TemporalLabels
from remem.evaluation.temporal_classes import CLASSES, TemporalClass

NAMES: Mapping[str, TemporalClass] = {
    **{class_name: class_name for class_name in CLASSES[:-1]},
    "none": CLASSES[-1],
}
"""The classes by their names in the file."""


def names_published(config: RunConfig) -> bool:
    """Return whether there are published classes for the dataset."""
    return config.settings.dataset.temporal_labels is not None


def has_published(config: RunConfig) -> bool:
    """Return whether the file of the published classes has been downloaded."""
    labels = config.settings.dataset.temporal_labels
    if labels is None:
        return False
    try:
        return find_file(*_place(config, labels)).is_file()
    except FileNotFoundError:
        return False


def published_classes(config: RunConfig, questions: Mapping[str, str]) -> dict[str, TemporalClass]:
    """Return the published classes by query id; none if the file has not been downloaded.

    Args:
        config: The configuration with the dataset and its folder.
        questions: The texts of questions by query id; classes of other texts are left out.

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
            where = f"{query} of {name}"
            label = field(item, "temporal_category", str, where)
            if not item.get("classification_success", True):
                continue
            if label not in NAMES:
                raise ValueError(
                    f"{where} has the temporal category {label!r}, expected {', '.join(NAMES)}"
                )
            yield query, field(item, "question", str, where), NAMES[label]


def _place(config: RunConfig, labels: TemporalLabels) -> tuple[Path, str, str]:
    return Path(config.settings.paths.data), labels.set, labels.file
