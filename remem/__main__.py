"""The command `remem`, and `python -m remem`: Ctrl-C ends even the seconds of importing quietly."""

import sys

NO_MEMORY = "remem: there is no memory left: end other programs, or raise the limit (ulimit -v)"


def main() -> None:
    """Run the command line; exit with 130 where Ctrl-C comes before anything has begun."""
    try:
        from remem.run.interruption import GOES_ON, INTERRUPTED, interrupt_at_any_signal

        interrupt_at_any_signal()
        from remem.cli.main import main as run
    except KeyboardInterrupt:
        sys.stderr.write("remem: interrupted before anything began\n")
        sys.exit(130)  # INTERRUPTED, which may not be there yet
    except MemoryError:
        sys.exit(NO_MEMORY)
    try:
        run()
    except KeyboardInterrupt:  # between the steps that say where the same command continues
        sys.stderr.write(f"remem: {GOES_ON}\n")
        sys.exit(INTERRUPTED)
    except MemoryError:  # there was none left to say more
        sys.exit(NO_MEMORY)


if __name__ == "__main__":
    main()
