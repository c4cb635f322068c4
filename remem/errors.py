"""The errors that users see; the attribute `exit_code` of a class is the command's exit code.

A class without its own exit code inherits one from its base class. Apps define their errors in the
same way. Errors that users never see are defined next to the code that raises them.
"""

from dataclasses import dataclass

from remem.types import Usage

ERROR, USAGE, QUESTIONS_IN_ERROR, BUDGET_REACHED, VERIFICATION_FAILED = 1, 2, 3, 4, 5


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ends after an error: with an exit code, and a message on stderr."""

    code: int
    message: str


class EndingError(Exception):
    """An error that ends a command with exit code 1."""

    exit_code = ERROR


class UsageError(ValueError):
    """The command line or the configuration asks for something unknown, invalid or forbidden."""

    exit_code = USAGE


class SettingsError(UsageError):
    """A setting is missing or has the wrong type."""


class StopRunError(EndingError):
    """The run has to stop for a reason unrelated to the current question, which gets no record.

    It is neither a RuntimeError nor a ValueError, so code that handles failed questions does not
    catch it.
    """


class QuestionsInErrorError(RuntimeError):
    """A run is finished, but some of its questions failed."""

    exit_code = QUESTIONS_IN_ERROR


class NotRunError(EndingError, LookupError):
    """A requested run does not exist."""


class RejectedReplyError(EndingError, ValueError):
    """A parser cannot use a reply. The reply is stored, and the model is asked again."""


class ModelUnavailableError(EndingError, RuntimeError):
    """The model gave no usable reply, so the question or episode fails.

    `usage` counts the calls that were made before the failure.
    """

    def __init__(self, message: str = "", usage: Usage = Usage()) -> None:  # noqa: B008  frozen
        super().__init__(message)
        self.usage = usage


class UnusableReplyError(ModelUnavailableError):
    """The model answered, but every reply was rejected; a restarted run will ask the model again.

    `address` is the address of the endpoint that sent the replies.
    """

    def __init__(
        self,
        message: str = "",
        usage: Usage = Usage(),  # noqa: B008  frozen
        address: str = "",
    ) -> None:
        super().__init__(message, usage)
        self.address = address


class BudgetReachedError(StopRunError):
    """The next call could exceed the budget; repeating the command continues the run."""

    exit_code = BUDGET_REACHED


class LedgerError(StopRunError):
    """The ledger file is unreadable, full or not a ledger, so no more money may be spent."""


class NotServedError(StopRunError):
    """The encoder that a run needs is not served at the configured address."""


class NobodyServesError(NotServedError):
    """Nothing answers at the address of a server."""


class OtherServerError(StopRunError):
    """The stored data came from a different server than the one that this run uses."""


class DiskError(StopRunError):
    """A file cannot be written."""


class CallStoreError(StopRunError):
    """The store is damaged, locked or full, so new replies would be paid for but not stored."""


class FullStoreError(CallStoreError, DiskError):
    """The disk of the store is full."""


class NetworkDiskError(StopRunError):
    """An SQLite file would be on a network file system, which is not allowed."""


class RunInUseError(EndingError, RuntimeError):
    """Another process is writing to the run."""


class AlteredError(EndingError, ValueError):
    """A file has changed since it was written, or belongs to another run."""


class MissingRecordsError(AlteredError):
    """A run has fewer records than its manifest states."""


class DamagedIndexError(EndingError, ValueError):
    """A stored index is damaged, incomplete or of another kind; it can be rebuilt."""


class UnhealthyMemoryError(StopRunError):
    """The content of a memory is implausible, so something must have gone wrong."""


class UnhealthyServerError(StopRunError):
    """A server read only part of its input, so its output must not be used."""


class EmptyGraphError(StopRunError):
    """The extraction found neither gists nor facts in a history that has messages."""


class NothingStoredError(StopRunError):
    """The memory stored no item from a history, so every answer would be a guess."""


class NoPassageReadError(StopRunError):
    """Extraction failed for every passage, so all answers would come from embeddings only."""


class VerificationFailedError(RuntimeError):
    """A verification found a file, a count or a result that differs from the expected one."""

    exit_code = VERIFICATION_FAILED


class FetchError(EndingError, RuntimeError):
    """Files could not be fetched; the message says how to get them manually."""


class WrongFileError(FetchError):
    """A file has the wrong checksum."""

    exit_code = VERIFICATION_FAILED


class ReplayMissError(StopRunError):
    """A call is not in the store, so the run cannot be replayed from it."""

    exit_code = VERIFICATION_FAILED


class VectorMissError(StopRunError):
    """A vector that a replay needs is not in the store."""


class NotReadyError(EndingError, RuntimeError):
    """Something that a live check needs is missing."""


class NotReplayedError(EndingError, RuntimeError):
    """A replay of the stored calls gave different records."""


class TrackingError(EndingError, RuntimeError):
    """W&B rejected a request or could not be reached."""
