"""A ledger: an SQLite file that adds up the dollars that runs and processes of a machine spend.

The maximum cost of a call is reserved before the call is sent, and replaced by the actual cost
afterwards. If a process is killed, the maximum cost of its calls in flight counts as spent, because
these calls may have been billed. Amounts are integers in nano-dollars, so that totals are exact. No
charge is lost if a process is killed. A power failure may lose the charges of the last seconds
(synchronous = NORMAL).
"""

import logging
import math
import sqlite3
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from threading import Condition

from remem.errors import LedgerError
from remem.files.disk import writing
from remem.files.live_process import Process
from remem.files.opened import opened
from remem.llm.sqlite_file import BUSY_SECONDS, advice, create_file, kind_of_no_file, transaction

log = logging.getLogger(__name__)

NANO = 10**9
POLL_SECONDS = 0.1
"""Maximum delay until a settlement by another process is noticed."""
ELSEWHERE_SECONDS = 3600.0
"""How long to wait for a reservation of another host, whose end cannot be detected here."""
SETTING = "llm.build.ledger"
MAGIC = b"SQLite format 3\0"
APPLICATION = int.from_bytes(b"rmld")
"""The application id in bytes 68 to 71 of the file, which no other SQLite file of ours has."""

SCHEMA = f"""
BEGIN IMMEDIATE;
PRAGMA application_id = {APPLICATION};
CREATE TABLE IF NOT EXISTS spent (
  id INTEGER PRIMARY KEY CHECK (id = 1), -- one row
  nano_dollars INTEGER NOT NULL
);
INSERT OR IGNORE INTO spent VALUES (1, 0);
CREATE TABLE IF NOT EXISTS in_flight (
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started TEXT NOT NULL,
  calls INTEGER NOT NULL,
  nano_dollars INTEGER NOT NULL, -- the most that they could cost
  at REAL NOT NULL, -- the time of the last reservation, in seconds
  PRIMARY KEY (host, pid, started)
);
DELETE FROM in_flight WHERE calls = 0; -- of processes that have ended
COMMIT;
"""
SUM = "SELECT nano_dollars + (SELECT coalesce(sum(nano_dollars), 0) FROM in_flight) FROM spent"
RESERVATIONS = "SELECT host, pid, started, calls, nano_dollars, at FROM in_flight WHERE calls > 0"
RESERVE = """
INSERT INTO in_flight VALUES (?, ?, ?, 1, ?, ?) ON CONFLICT DO UPDATE
SET calls = calls + 1, nano_dollars = nano_dollars + excluded.nano_dollars, at = excluded.at
"""
RELEASE = """
UPDATE in_flight SET calls = calls - 1, nano_dollars = nano_dollars - ?
WHERE host = ? AND pid = ? AND started = ?
"""


@dataclass(frozen=True, slots=True)
class Balance:
    """The amounts in a ledger in nano-dollars.

    `reserved_here` is the amount that this process has reserved; no other field includes it. Lost
    calls were in flight when their process was killed. Each counts at its maximum cost, and `spent`
    includes them.
    """

    spent: int
    lost: int
    lost_calls: int
    reserved_here: int

    @property
    def dollars(self) -> float:
        """Return the amount spent in dollars."""
        return self.spent / NANO

    @property
    def lost_dollars(self) -> float:
        """Return the amount of the lost calls in dollars."""
        return self.lost / NANO


@dataclass(frozen=True, slots=True)
class Shortage:
    """Why a call exceeds a budget; if `may_end`, the call may fit once other calls have ended."""

    complaint: str
    may_end: bool


class Ledger:
    """A ledger opened for charging; only one thread at a time may use it.

    Args:
        path: The file; it is created if missing. It must be on a local disk.
        process: The process that charges; None for this one.
        now: Returns the time in seconds.

    Raises:
        LedgerError: The file is not a ledger, or cannot be read or written.
    """

    def __init__(
        self, path: Path, process: Process | None = None, now: Callable[[], float] = time.time
    ) -> None:
        self._path = path
        self._process = process or Process.current()
        self._now = now
        self._has_warned = False
        """Whether the warning about waiting for other processes was shown."""
        with writing(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        with _naming(path):
            _is_ledger(path)
            self._connection = create_file(path, SCHEMA)
        weakref.finalize(self, self._connection.close)

    @property
    def spent(self) -> float:
        """Return the amount of settled and lost calls in dollars."""
        with _naming(self._path):
            return _balance(self._connection, self._process, self._now()).dollars

    def reserve(self, dollars: float, limit: float) -> Shortage | None:
        """Reserve a call's maximum cost; if the total would exceed `limit`, return the shortage."""
        amount = nano(dollars)
        with self._transaction() as connection:
            ((charged,),) = connection.execute(SUM)
            if not is_within(charged + amount, limit):
                return self._shortage(amount, limit)
            connection.execute(RESERVE, (*astuple(self._process), amount, self._now()))
        return None

    def settle(self, reserved: float, dollars: float) -> None:
        """Replace the amount reserved for a call by its actual cost."""
        with self._transaction() as connection:
            connection.execute("UPDATE spent SET nano_dollars = nano_dollars + ?", (nano(dollars),))
            connection.execute(RELEASE, (nano(reserved), *astuple(self._process)))

    def wait(self, changed: Condition) -> None:
        """Wait for `changed`, but only briefly, because other processes cannot notify it."""
        changed.wait(POLL_SECONDS)

    def _shortage(self, amount: int, limit: float) -> Shortage:
        balance = _balance(self._connection, self._process, self._now())
        may_end = is_within(balance.spent + amount, limit)
        if may_end and not balance.reserved_here and not self._has_warned:
            self._has_warned = True
            log.warning(
                "%s: calls of other processes reserve the rest of the budget of %s; waiting until "
                "they end",
                *(self._path, money(limit)),
            )
        return Shortage(_complaint(balance, amount / NANO, limit), may_end)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with _naming(self._path), transaction(self._connection) as connection:
            yield connection


def balance(path: Path) -> Balance:
    """Return the balance of a ledger; all values are 0 if the file does not exist.

    Raises:
        LedgerError: The file is not a ledger, or cannot be read.
    """
    with _naming(path):
        if not _is_ledger(path):
            return Balance(0, 0, 0, 0)
        address = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, timeout=BUSY_SECONDS, uri=True)) as connection:
            return _balance(connection, Process.current(), time.time())


def nano(dollars: float) -> int:
    """Return an amount in nano-dollars, as an integer."""
    return round(dollars * NANO)


def is_within(amount: int, limit: float) -> bool:
    """Return whether an amount in nano-dollars is within a limit in dollars (math.inf for none)."""
    return limit == math.inf or amount <= nano(limit)


def money(dollars: float) -> str:
    """Return an amount as text, with two decimals, or four if it is not a whole number of cents.

    >>> money(60.0), money(0.0563)
    ('$60.00', '$0.0563')
    """
    digits = 2 if nano(dollars) % (NANO // 100) == 0 else 4
    return f"${dollars:.{digits}f}"


def higher(limit: float, needed: float = 0.0) -> str:
    """Return a round limit that is about a third above `limit` and at least `needed`.

    >>> higher(60.0), higher(1.0), higher(0.0), higher(0.2, needed=0.51)
    ('80', '2', '1', '0.6')
    """
    least = max(limit * 4 / 3, needed) or 1.0
    unit = 10.0 ** math.floor(math.log10(least))
    return f"{math.ceil(round(least / unit, 6)) * unit:g}"


def _balance(connection: sqlite3.Connection, here: Process, now: float) -> Balance:
    ((settled,),) = connection.execute("SELECT nano_dollars FROM spent")
    lost = lost_calls = reserved_here = 0
    for host, pid, started, calls, amount, at in connection.execute(RESERVATIONS):
        process = Process(host, pid, started)
        if process == here:
            reserved_here = amount
        elif not (process.is_alive() if host == here.host else now - at < ELSEWHERE_SECONDS):
            lost += amount
            lost_calls += calls
    return Balance(settled + lost, lost, lost_calls, reserved_here)


def _complaint(balance: Balance, dollars: float, limit: float) -> str:
    spent = balance.dollars
    lost = (
        f" ({money(balance.lost_dollars)} of it for {balance.lost_calls} calls of killed "
        f"processes, at the most that they could cost)"
        if balance.lost
        else ""
    )
    raised = higher(limit, spent + dollars)
    return (
        f"the budget of {money(limit)} is reached: {money(spent)} are spent{lost} and the next "
        f"call may cost {money(dollars)}; nothing is lost: the same command with a higher budget "
        f"continues, such as llm.build.budget_dollars={raised} (remem table: --budget {raised})"
    )


def _is_ledger(path: Path) -> bool:
    """Return True for a ledger, and False for a missing or empty file.

    It does not open the file with SQLite, which might change it.

    Raises:
        LedgerError: It is another file.
    """
    if kind := kind_of_no_file(path):
        raise LedgerError(
            f"the ledger {path} cannot be used: it is {kind}; choose another file with {SETTING}"
        )
    if not path.exists():
        return False
    with opened(path) as file:
        header = file.read(72)
    if not header:
        return False
    if not header.startswith(MAGIC) or header[68:] != APPLICATION.to_bytes(4):
        raise LedgerError(
            f"{path} is not a ledger of remem, and is left unchanged; set {SETTING} to a new file"
        )
    return True


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Name the ledger in errors.

    Raises:
        LedgerError: The file cannot be used.
    """
    try:
        yield
    except OSError as error:
        raise LedgerError(
            f"the ledger {path} cannot be used: {error.strerror}; choose another file with "
            f"{SETTING}"
        ) from error
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if_damaged = f"choose a new file with {SETTING}, which starts at $0"
        raise LedgerError(
            f"the ledger {path} cannot be used: {error}; {advice(error, path, SETTING, if_damaged)}"
        ) from error
