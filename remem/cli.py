"""The `remem` command: its verbs lie in remem/commands.

Exit codes: 0 done, 1 error, 2 usage, 3 finished with questions in error, 4 budget reached,
5 verification failed, 130 interrupted.
"""

import sys

import typer
from hydra.errors import HydraException
from omegaconf.errors import OmegaConfBaseException
from rich.console import Console

from remem.commands import (
    bundling,
    files,
    looking,
    reporting,
    rescoring,
    running,
    scoring,
    serving,
    tables,
)
from remem.data_files.audit import VerificationFailedError
from remem.data_files.fetch import WrongFileError
from remem.instantiation import UsageError
from remem.llm.budget import BudgetReachedError
from remem.llm.replay import ReplayMissError
from remem.protocols import StopRunError
from remem.run import QuestionsInErrorError

ERROR, USAGE, QUESTIONS_IN_ERROR, BUDGET_REACHED = 1, 2, 3, 4
VERIFICATION_FAILED, INTERRUPTED = 5, 130

app = typer.Typer(
    add_completion=True,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Reproduce, audit and beat the tables of the REMem paper.",
)

PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True}

app.command(context_settings=PASS_ON)(running.run)
for verb in (
    tables.table,
    tables.tables,
    running.estimate,
    running.live_check,
    scoring.compare,
    reporting.report,
    scoring.judge,
    bundling.bundle,
    bundling.replay,
    bundling.verify,
    rescoring.score,
    rescoring.label_sheet,
    rescoring.agree,
    rescoring.judge_noise,
    rescoring.judge_stress,
    looking.graph,
    looking.extract,
    files.fetch,
    files.fetch_prompts,
    files.audit,
    files.paper_audit,
    serving.serve_embeddings,
    serving.serve_stub,
):
    app.command()(verb)


def main() -> None:
    """Run the command line and exit with its code."""
    complaint = Console(stderr=True, soft_wrap=True, highlight=False, markup=False)
    try:
        app(prog_name="remem")  # ends by SystemExit: done, misused (2) or interrupted (130)
    except QuestionsInErrorError as error:
        complaint.print(f"remem: {error}")
        sys.exit(QUESTIONS_IN_ERROR)
    except BudgetReachedError as error:
        complaint.print(f"remem: {error}")
        sys.exit(BUDGET_REACHED)
    except (VerificationFailedError, WrongFileError, ReplayMissError) as error:
        complaint.print(f"remem: {error}")
        sys.exit(VERIFICATION_FAILED)
    except (UsageError, HydraException, OmegaConfBaseException) as error:
        complaint.print(f"remem: {error}")
        sys.exit(USAGE)
    except (ValueError, OSError, RuntimeError, ImportError, StopRunError) as error:
        complaint.print(f"remem: {error}")
        sys.exit(ERROR)
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            complaint.print("remem: interrupted; the same command goes on from here")
        raise
