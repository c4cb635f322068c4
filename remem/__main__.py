"""The command `remem`, and `python -m remem`: Ctrl-C ends even the seconds of importing quietly."""

import sys

NO_MEMORY = "remem: there is no memory left: end other programs, or raise the limit (ulimit -v)"


def main() -> None:
    """Run the command line; exit with 130 where Ctrl-C comes before anything has begun."""
    try:
        from remem.run.interruption import interrupt_at_any_signal

        interrupt_at_any_signal()
        from remem.cli.main import main as run
    except KeyboardInterrupt:
        sys.stderr.write("remem: interrupted before anything began\n")
        sys.exit(130)  # remem.run.progress.INTERRUPTED, whose import would take a while, too
    except MemoryError:
        sys.exit(NO_MEMORY)
    try:
        run()
    except KeyboardInterrupt:  # between the steps that say where the same command continues
        sys.stderr.write("remem: interrupted; run the same command to continue\n")
        sys.exit(130)
    except MemoryError:  # there was none left to say more
        sys.exit(NO_MEMORY)


if __name__ == "__main__":
    main()
