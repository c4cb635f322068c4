"""The `remem` command: its verbs lie in remem/commands.

Exit codes: 0 done, 1 error, 2 usage, 3 finished with questions in error, 4 budget reached,
5 verification failed, 130 interrupted.
"""

import gc
import sys
from collections.abc import Callable, Mapping

import typer
from hydra.errors import HydraException
from omegaconf.errors import OmegaConfBaseException
from rich.console import Console

from remem.commands import (
    asking,
    bundling,
    classifying,
    files,
    looking,
    overview,
    reporting,
    rescoring,
    running,
    scoring,
    serving,
    tables,
    tracking,
)
from remem.complaints import file_complaint, hydra_complaint
from remem.data_files.audit import VerificationFailedError
from remem.data_files.fetch import WrongFileError
from remem.instantiation import UsageError
from remem.interruption import GOES_ON, INTERRUPTED, leaving_soon_at_interrupt
from remem.llm.budget import BudgetReachedError
from remem.llm.replay import ReplayMissError
from remem.protocols import StopRunError
from remem.run import QuestionsInErrorError

ERROR, USAGE, QUESTIONS_IN_ERROR, BUDGET_REACHED = 1, 2, 3, 4
VERIFICATION_FAILED = 5
GARBAGE = (50_000, 20, 50)
"""Thresholds of gc: what a run keeps stays, and by default a tenth of it looks through all that."""

app = typer.Typer(
    add_completion=True,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Reproduce, audit and beat the tables of the REMem paper.",
)

GROUPS: Mapping[str, tuple[Callable[..., None], ...]] = {
    "Measure": (
        running.run,
        tables.table,
        tables.tables,
        rescoring.score,
        scoring.compare,
        reporting.report,
    ),
    "Judge": (
        scoring.judge,
        rescoring.judge_noise,
        rescoring.judge_stress,
        rescoring.label_sheet,
        rescoring.error_shares,
        rescoring.agree,
    ),
    "Check": (
        overview.doctor,
        files.audit,
        files.paper_audit,
        running.estimate,
        running.live_check,
        bundling.verify,
    ),
    "Keep": (bundling.bundle, bundling.replay),
    "Try": (asking.ask, looking.extract, looking.graph, classifying.classify),
    "Serve and fetch": (
        files.fetch,
        files.fetch_prompts,
        serving.serve_embeddings,
        serving.serve_stub,
        serving.gateway,
        tracking.wandb_push,
    ),
}
"""The verbs, as the help shows them."""

PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True}

app.command("list")(overview.list_names)
for group, verbs in GROUPS.items():
    for verb in verbs:
        settings = PASS_ON if verb is running.run else None
        app.command(rich_help_panel=group, context_settings=settings)(verb)


def main() -> None:
    """Run the command line and exit with its code."""
    gc.set_threshold(*GARBAGE)
    complaint = Console(stderr=True, soft_wrap=True, highlight=False, markup=False)
    try:
        with leaving_soon_at_interrupt():
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
    except HydraException as error:
        complaint.print(f"remem: {hydra_complaint(error)}")
        sys.exit(USAGE)
    except (UsageError, OmegaConfBaseException) as error:
        complaint.print(f"remem: {error}")
        sys.exit(USAGE)
    except OSError as error:
        complaint.print(f"remem: {file_complaint(error)}")
        sys.exit(ERROR)
    except (ValueError, RuntimeError, ImportError, StopRunError) as error:
        complaint.print(f"remem: {error}")
        sys.exit(ERROR)
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            complaint.print(f"remem: {GOES_ON}")
        raise
