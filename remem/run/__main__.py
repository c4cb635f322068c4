"""`python -m remem.run`: the one place below the command line that calls it."""

from remem.cli.hydra_entry import main

if __name__ == "__main__":
    main()
