"""`remem run`: answer the questions of a dataset."""

import os
import sys

from remem.cli.json_option import Json
from remem.cli.override_completion import Overrides


def run(overrides: Overrides = None, json: Json = False) -> None:
    """Run one configuration, or a sweep with -m.

    --json is for one run: a sweep writes what became of each job, and scores.json of each run.

    Example: remem run dataset=generated_tot method=remem_s reader=symbolic
    """
    from remem.cli.hydra_entry import main as run_main

    sys.argv = ["remem run", *(overrides or [])]
    # Hydra then raises what a job raised, and main() turns it into an exit code.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    run_main(json=json)
