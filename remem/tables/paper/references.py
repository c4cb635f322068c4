"""Make the reference rows: Oracle, Full-Context, No memory and Always refuse.

They are in the LLM-free block of every table. A reference that cannot be run has a dash, and the
notes give the reason.
"""

from collections.abc import Collection, Iterator, Sequence

from remem.paper.layout import PaperTable
from remem.tables.paper.rows import DATASETS, llm_free_rows

REFERENCES = {
    "Oracle Message": "method=oracle_message",
    "Full-Context": "method=full_context",
    "No memory": "method=no_memory",
    "Always refuse": "reader=always_refuse",
}
"""The references, each with its override."""

TOO_LONG = (
    "thousands of passages are too long a context, and each record would name all of them, 0.4 GB "
    "in sum; remem run dataset={} method=full_context reader=extractive runs it all the same"
)

NOT_ON = {
    ("Oracle Message", "tot"): "its questions do not name the facts that they need",
    **{("Full-Context", dataset): TOO_LONG.format(dataset) for dataset in ("musique", "two_wiki")},
}
"""Why a reference is not run on a dataset."""

NOT_IN = {
    "counted": "the table counts the data, and no method changes them",
    "labelled_by_model": "the table counts the questions of a class, and no method changes them",
    "o200k_tokens": "the table counts the tokens of a model, and rows without one take none",
    "graph_properties": "the table is of memory graphs, and a reference has none",
    "human_sample": "the table is of people's verdicts on answers that were not published",
    "mem0_judge": "the table is of a judge's verdicts, and rows without a model are not judged",
}
"""Why a table has no reference, by the kind (`made_with`) of its first number."""


def references_on(dataset: str) -> list[str]:
    """Return the references that are run on a dataset."""
    rows = [row.overrides for row in llm_free_rows(dataset)]
    return [name for name, chosen in REFERENCES.items() if any(chosen in row for row in rows)]


def absent_references(datasets: Collection[str]) -> list[str]:
    """Return the references that are not run on any of the datasets."""
    there = {name for dataset in datasets for name in references_on(dataset)}
    return [name for name in REFERENCES if name not in there]


def reference_notes(paper: PaperTable, datasets: Sequence[str]) -> Iterator[str]:
    """Yield notes on which references a table, or the columns of a dataset, lack, and why.

    Args:
        paper: The table.
        datasets: The datasets of its LLM-free rows; none if it has no such rows.
    """
    if not datasets:
        kind = next(iter(paper.cells.values())).made_with
        yield f"No reference rows ({', '.join(REFERENCES)}): {NOT_IN[kind]}."
    for dataset in DATASETS:
        for name in REFERENCES if dataset in datasets else ():
            if name not in references_on(dataset):
                yield f"{dataset}: no {name}: {NOT_ON[name, dataset]}."
