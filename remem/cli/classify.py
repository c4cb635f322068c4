"""`remem classify`: the temporal classes of a dataset's questions, by rules and by a model."""

from remem.cli.override_completion import Overrides
from remem.reports.terminal.console import safe_console, say


def classify(
    overrides: Overrides = None,
) -> None:
    """Sort a dataset's questions into the paper's temporal classes.

    Rules sort them; with llm= a model does so too.

    If the published classes have been fetched, both are scored against them.

    Example: remem classify dataset=locomo llm=<a model>
    """
    from remem.config.run_config import compose_config, run_config
    from remem.errors import QuestionsInErrorError
    from remem.paper.tables import paper_folder, read_tables
    from remem.reports.terminal.progress import ProgressView
    from remem.reports.terminal.table_console import table_console
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
    asked = question_texts(benchmark)
    untold = 0
    if config.chat_model is not None:
        view = ProgressView(safe_console(stderr=True), 1)
        with view(f"{config.dataset}: classes") as on_progress:
            told = classify_by_model(config, asked, on_progress)
        write_classes(classes_file(config), asked, told, config.server)
        untold = len(asked) - len(told)
        say(f"Written: {classes_file(config)}")
    found = classified(config, benchmark)
    table_console().print(show_counts(found, config.dataset, read_tables(paper_folder())))
    if agreement := found.describe_agreement():
        say(agreement)
    if found.published:
        for by, classes in found.assigned.items():
            table_console().print(show_confusion(confusion(found.published, classes), by))
    elif names_published(config):
        say("the published classes are missing; to download them: remem fetch locomo")
    if untold:
        raise QuestionsInErrorError(
            f"{untold} questions got no class from {config.llm}; run the same command to ask again"
        )
