"""`remem run`: answer the questions of a dataset."""

import os
import sys

import typer


def run(context: typer.Context) -> None:
    """Run one configuration, or a sweep with -m.

    Example: remem run dataset=generated_tot method=remem_s reader=symbolic
    """
    from remem.cli.hydra_entry import main as run_main

    sys.argv = ["remem run", *context.args]
    # Hydra then raises what a job raised, and main() turns it into an exit code.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    run_main()
