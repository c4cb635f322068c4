"""The command `remem`, and `python -m remem`: Ctrl-C ends even the seconds of importing quietly."""

import sys


def main() -> None:
    """Run the command line; exit with 130 where Ctrl-C comes before anything has begun."""
    try:
        from remem.cli.main import main as run
    except KeyboardInterrupt:
        sys.stderr.write("remem: interrupted before anything began\n")
        sys.exit(130)  # remem.run.progress.INTERRUPTED, whose import would take a while, too
    run()


if __name__ == "__main__":
    main()
