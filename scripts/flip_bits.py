"""Flip bits in the files of a finished run, and start the same command after each."""

import argparse
import logging
import sys
import tempfile
from pathlib import Path

from measure.bit_flips import FAILURES, flip_bits, shown
from measure.figures import note_figure


def main() -> None:
    """Flip bits, print the outcomes, and exit with 1 if one is a failure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flips", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    logging.getLogger("remem").propagate = False  # each warning is counted
    with tempfile.TemporaryDirectory(prefix="flips-") as folder:
        flips = []
        for flip in flip_bits(Path(folder), chosen.flips, chosen.seed):
            flips.append(flip)
            if flip.failed:
                print(flip, flush=True)
    print(shown(flips))
    note_figure("bits flipped", len(flips))
    for outcome in FAILURES:
        note_figure(f"flips {outcome}", sum(flip.outcome == outcome for flip in flips))
    sys.exit(any(flip.failed for flip in flips))


if __name__ == "__main__":
    main()
