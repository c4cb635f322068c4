"""`remem data`: fetch, audit and inspect data, and count the paper's comparable numbers."""

from pathlib import Path
from typing import Annotated

import typer

from remem.cli.arguments import Overrides
from remem.cli.names import dataset_names, one_of, prompt_sources
from remem.errors import (
    ModelUnavailableError,
    QuestionsInErrorError,
    VerificationFailedError,
)
from remem.reports.terminal.console import safe_console, say


def fetch(
    name: Annotated[
        list[str] | None,
        typer.Argument(
            help="datasets (default: all)",
            callback=one_of("dataset", dataset_names),
            autocompletion=dataset_names,
        ),
    ] = None,
) -> None:
    """Download missing data files into REMEM_DATA and verify their checksums.

    Example: REMEM_DATA=/data/memory remem data fetch locomo realtalk
    """
    from remem.benchmarks.files.fetch import choose_sets, fetch_sets
    from remem.benchmarks.files.notes import data_folder, datasets_folder, read_notes

    sets = choose_sets(read_notes(datasets_folder()), name or [])
    fetch_sets(sets, data_folder(), safe_console(soft_wrap=True))


def prompts(
    name: Annotated[
        str,
        typer.Argument(
            help="which prompts: released, personamem, or a judge such as mem0-judge",
            callback=one_of("set of prompts", prompt_sources),
            autocompletion=prompt_sources,
        ),
    ],
    overrides: Overrides = None,
) -> None:
    """Download prompts that are not shipped, and verify their checksums.

    Example: remem data prompts released
    """
    from remem.benchmarks.files.fetched_prompts import fetch_prompts

    fetch_prompts(name, overrides or [], safe_console(soft_wrap=True))


def audit(
    name: Annotated[
        list[str] | None,
        typer.Argument(
            help="datasets, such as personamem or dataset=personamem (default: all)",
            autocompletion=dataset_names,
        ),
    ] = None,
    json: Annotated[Path | None, typer.Option(help="also write the rows to this JSON file")] = None,
) -> None:
    """Check the data files: their checksums, what the loaders find, and known flaws.

    Example: REMEM_DATA=/data/memory remem data audit locomo realtalk --json audit.json
    """
    from remem.benchmarks.files.audit import audit_all, show, write_json
    from remem.benchmarks.files.fetch import choose_sets
    from remem.benchmarks.files.notes import data_folder, datasets_folder, read_notes
    from remem.reports.terminal.console import table_console

    names = [word.removeprefix("dataset=") for word in name or []]
    sets = choose_sets(read_notes(datasets_folder()), names)
    rows = list(audit_all(sets, data_folder()))
    show(rows, table_console())
    if json is not None:
        write_json(rows, json)
    failed = sum(row.failed for row in rows)
    if failed:
        raise VerificationFailedError(f"{failed} of {len(rows)} rows of the audit failed")


def paper(overrides: Overrides = None) -> None:
    """Count the paper's numbers that can be compared, and say why others cannot.

    Example: remem data paper prompts=released judge=mem0
    """
    from remem.paper.layout import paper_folder, read_tables
    from remem.reports.terminal.console import table_console
    from remem.tables.paper.comparable import comparable, show_comparable

    compared = comparable(list(read_tables(paper_folder()).values()), overrides or [])
    table_console().print(show_comparable(compared))


def extract(
    passage: Annotated[str, typer.Argument(help="a text file, or - for standard input")],
    overrides: Overrides = None,
) -> None:
    """Show the gists and facts of a text.

    The text has one message per line; a line "Date: ..." dates the messages after it.

    Example: remem data extract session.txt extractor=rules
    """
    from remem.cli.extraction import read_episode, read_passage, show_extraction
    from remem.config.run_config import compose_config, run_config
    from remem.reports.terminal.console import table_console

    extractor = run_config(compose_config(overrides or [])).build_extractor()
    extraction = extractor.extract(read_episode(read_passage(passage)))
    if extraction.failure:
        raise ModelUnavailableError(f"nothing was extracted: {extraction.failure}")
    table_console().print(show_extraction(extraction))
    usage = extraction.usage
    if usage.calls:
        say(f"{usage.calls} calls, {usage.prompt_tokens} tokens in, {usage.completion_tokens} out")


def graph(
    overrides: Overrides = None,
    graphml: Annotated[
        Path | None, typer.Option(help="write the graph of each history into this folder")
    ] = None,
) -> None:
    """Build the memory graphs of a dataset and show their average properties.

    Example: remem data graph dataset=generated_complex_tr --graphml graphs
    """
    from remem.config.run_config import compose_config, run_config
    from remem.reports.terminal.console import table_console
    from remem.results.memory_graphs import (
        memory_graphs,
        properties_of,
        show_properties,
        write_graphml,
    )

    properties = []
    for history, memory_graph in memory_graphs(run_config(compose_config(overrides or []))):
        properties.append(properties_of(history, memory_graph))
        if graphml is not None:
            write_graphml(memory_graph, graphml / f"{history.id}.graphml")
    table_console().print(show_properties(properties))


def classify(
    overrides: Overrides = None,
) -> None:
    """Sort a dataset's questions into the paper's temporal classes.

    Rules classify the questions. With llm=, a model classifies them too.

    If the published classes have been fetched, both results are scored against them.

    Example: remem data classify dataset=locomo llm=<a model>
    """
    from remem.config.run_config import compose_config, run_config
    from remem.paper.layout import paper_folder, read_tables
    from remem.reports.terminal.console import table_console
    from remem.reports.terminal.progress import ProgressView
    from remem.results.class_counts import (
        classified,
        confusion,
        names_published,
        question_texts,
        show_confusion,
        show_counts,
    )
    from remem.results.temporal_classes import classes_file, classify_by_model, write_classes

    config = run_config(compose_config(overrides or []))
    benchmark = config.build_benchmark()
    questions = question_texts(benchmark)
    unclassified = 0
    if config.chat_model is not None:
        view = ProgressView(safe_console(stderr=True), 1)
        with view(f"{config.dataset}: classes") as on_progress:
            classes = classify_by_model(config, questions, on_progress)
        write_classes(classes_file(config), questions, classes, config.server)
        unclassified = len(questions) - len(classes)
        say(f"Written: {classes_file(config)}")
    result = classified(config, benchmark)
    table_console().print(show_counts(result, config.dataset, read_tables(paper_folder())))
    if agreement := result.describe_agreement():
        say(agreement)
    if result.published:
        for source, assigned in result.assigned.items():
            table_console().print(show_confusion(confusion(result.published, assigned), source))
    elif names_published(config):
        say("the published classes are missing; download them with: remem data fetch locomo")
    if unclassified:
        raise QuestionsInErrorError(
            f"questions without a class from {config.llm}: {unclassified}; run the same command to "
            f"ask again"
        )
