"""`remem referee import`: turn answers that other projects published into runs."""

from remem.apps.referee.answer_files import DataSet, Format, Mapping, Words, read_named
from remem.cli.arguments import Json, say_json
from remem.reports.terminal.console import say


def import_(
    words: Words,
    format: Format = "",
    *,
    dataset: DataSet = "",
    mapping: Mapping = None,
    json: Json = False,
) -> None:
    """Turn answers that others published into runs.

    Formats: memory-arena, agent-memory-benchmark, backboard, evermemos, a40-labs, mem0, zep,
    longmemeval, and rows of your own as CSV, JSON Lines or JSON.

    Example: remem referee import answers.csv
    """
    from remem.apps.referee.imports.importing import import_runs
    from remem.apps.referee.imports.output import run_json, show_census, show_imports
    from remem.apps.referee.imports.written_run import origin
    from remem.reports.terminal.console import table_console

    matched, overrides = read_named("referee import", words, format, dataset, mapping)
    runs = import_runs(matched, overrides)
    if json:
        say_json("referee import", runs=map(run_json, runs))
        return
    console = table_console()
    console.print(show_imports(runs))
    console.print(show_census(runs))
    for run in runs:
        for sentence in origin(run.matched).sentences():
            say(sentence)
        say(str(run.folder))
