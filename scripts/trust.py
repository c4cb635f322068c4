"""Measure the promises of docs/trust.md and write the figures into it: `make trust`."""

import argparse
import sys
from pathlib import Path

from measure.trust import PARTS, measure, parts, read_measured, write_measured
from measure.trust_page import filled

DOCS = Path(__file__).parent.parent / "docs"
FIGURES, PAGE = DOCS / "trust_figures.json", DOCS / "trust.md"


def main() -> None:
    """Run the parts; exit with 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)} (all)")
    parser.add_argument("--quick", action="store_true", help="small; only shown, not written")
    parser.add_argument(
        "--write", action="store_true", help="write the figures even after a quick pass"
    )
    chosen = parser.parse_args()
    unknown = sorted({*chosen.parts} - {*PARTS})
    if unknown:
        parser.error(f"unknown part {', '.join(unknown)}; choose from {', '.join(PARTS)}")
    failed = False
    for name in parts(chosen.parts, quick=chosen.quick):
        print(f"== {name}", flush=True)
        try:
            measured = measure(name, quick=chosen.quick)
        except ValueError as error:
            print(f"trust: {error}", file=sys.stderr)
            failed = True
            continue
        print(f"{measured.command}: {measured.seconds} s, {dict(measured.figures)}", flush=True)
        if chosen.write or not chosen.quick:  # part by part: a later one may fail after an hour
            everything = {**read_measured(FIGURES), name: measured}
            write_measured(FIGURES, everything)
            PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), everything), encoding="utf-8")
    sys.exit(failed)


if __name__ == "__main__":
    main()
