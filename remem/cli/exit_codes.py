"""The exit code and the message of the command after an error.

Most errors are defined next to the code that raises them, which is slow to import. An error of an
app has its exit code as an attribute, `exit_code`.
"""

from dataclasses import dataclass

from remem.errors import UsageError

ERROR, USAGE, QUESTIONS_IN_ERROR, BUDGET_REACHED, VERIFICATION_FAILED = 1, 2, 3, 4, 5


@dataclass(frozen=True, slots=True)
class Ending:
    """The exit code of the command, and its message on stderr."""

    code: int
    complaint: str


def ending(error: Exception) -> Ending | None:
    """Return the exit code and message for an error; None for a bug."""
    if isinstance(error, UsageError):
        return Ending(USAGE, str(error))
    code = getattr(error, "exit_code", None)
    if code is None:
        code = next((code for kind, code in _codes() if isinstance(error, kind)), None)
    return None if code is None else Ending(code, _complaint(error))


def _codes() -> tuple[tuple[type[Exception], int], ...]:
    """Return the code of each error; the first matching class decides."""
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    from remem.errors import (
        BudgetReachedError,
        QuestionsInErrorError,
        ReplayMissError,
        StopRunError,
        VerificationFailedError,
        WrongFileError,
    )

    return (
        (QuestionsInErrorError, QUESTIONS_IN_ERROR),
        (BudgetReachedError, BUDGET_REACHED),
        (VerificationFailedError, VERIFICATION_FAILED),
        (WrongFileError, VERIFICATION_FAILED),
        (ReplayMissError, VERIFICATION_FAILED),
        (HydraException, USAGE),
        (OmegaConfBaseException, USAGE),
        (OSError, ERROR),
        (ValueError, ERROR),
        (RuntimeError, ERROR),
        (ImportError, ERROR),
        (StopRunError, ERROR),
    )


def _complaint(error: Exception) -> str:
    from hydra.errors import HydraException

    from remem.cli.error_messages import file_complaint, hydra_complaint

    if isinstance(error, HydraException):
        return hydra_complaint(error)
    return file_complaint(error) if isinstance(error, OSError) else str(error)
