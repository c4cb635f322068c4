"""`python -m remem`: the same as `remem`."""

from remem.cli import main

if __name__ == "__main__":
    main()
