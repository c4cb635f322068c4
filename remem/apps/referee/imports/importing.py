"""Import files of published answers: read, join with questions, and write as runs."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from remem.apps.referee.imports.formats import MOST_SYSTEMS, read_answers
from remem.apps.referee.imports.known_questions import DataSets, dataset_choices
from remem.apps.referee.imports.mapping import Parts
from remem.apps.referee.imports.matched import MatchedAnswers, check_scorable, match
from remem.apps.referee.imports.written_run import WrittenRun, write_run
from remem.config.suggestions import did_you_mean, either
from remem.errors import UsageError


def read_matched(
    paths: Sequence[Path],
    *,
    format: str | Parts = "",
    dataset: str = "",
    data_sets: DataSets | None = None,
) -> list[MatchedAnswers]:
    """Read files of answers, and match the answers with their questions.

    Args:
        paths: The files.
        format: The name of the files' format, or a mapping; "" recognises each file by its content.
        dataset: The choice of conf/dataset that the answers belong to; "" uses the name in each
            file.
        data_sets: The data sets that the answers may belong to; None loads those in REMEM_DATA.

    Raises:
        UsageError: The data set or the format is unknown.
        ValueError: A file is malformed, or none of its answers can be scored.
    """
    if dataset and dataset not in dataset_choices():
        choices = sorted(dataset_choices())
        raise UsageError(
            f"unknown dataset {dataset!r}; choose {either(choices)}{did_you_mean(dataset, choices)}"
        )
    data_sets = data_sets or DataSets()
    matched_runs = []
    for path in paths:
        for imported in read_answers(path, format):
            named = replace(imported, corpus=dataset or imported.corpus)
            matched = match(named, data_sets)
            check_scorable(matched)
            matched_runs.append(matched)
    return matched_runs


def import_runs(
    matched: Sequence[MatchedAnswers], overrides: Sequence[str] = ()
) -> list[WrittenRun]:
    """Write the answers of each system as a run.

    Raises:
        ValueError: There are more than `MOST_SYSTEMS` systems; no run is written.
    """
    if len(matched) > MOST_SYSTEMS:
        raise ValueError(
            f"the files have the answers of {len(matched):,} systems, expected at most "
            f"{MOST_SYSTEMS:,}: each becomes a run; import fewer at once"
        )
    return [write_run(answers, overrides) for answers in matched]
