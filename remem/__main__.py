"""The entry point of `remem` and `python -m remem`; Ctrl-C ends it quietly, even during imports."""

import atexit
import os
import sys
from collections.abc import Sequence
from contextlib import suppress

INTERRUPTED = 130  # before anything is imported
NO_MEMORY = "remem: out of memory: end other programs, or raise the limit (ulimit -v)"


def main() -> None:
    """Run the command line, and exit at once after Ctrl-C."""
    codes: list[object] = []
    atexit.register(_leave_if_interrupted, codes)  # the first one that is registered comes last
    try:
        run_command_line()
    except SystemExit as stop:
        codes.append(stop.code)
        raise


def run_command_line() -> None:
    """Run the command line; exit with a message and code 130 after Ctrl-C."""
    try:
        from remem.run.interruption import GOES_ON, interrupt_at_any_signal

        interrupt_at_any_signal()
        from remem.cli.main import main as run
    except KeyboardInterrupt:
        sys.stderr.write("remem: interrupted before anything began\n")
        sys.exit(INTERRUPTED)
    except MemoryError:
        sys.exit(NO_MEMORY)
    try:
        run()
    except KeyboardInterrupt:  # between the steps that report where the same command continues
        sys.stderr.write(f"remem: {GOES_ON}\n")
        sys.exit(INTERRUPTED)
    except MemoryError:  # no memory was left for a longer message
        sys.exit(NO_MEMORY)


def _leave_if_interrupted(codes: Sequence[object]) -> None:
    """End the process at once after Ctrl-C; otherwise a library, such as Ray, might crash."""
    if INTERRUPTED in codes:
        with suppress(OSError):  # the terminal may be closed
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
