"""Feed 100,000 generated inputs to each parser: `python scripts/fuzz.py`.

The targets and the input generators are in tests/fuzz.
"""

import argparse
import importlib
import secrets
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "results" / "cache" / "fuzz"
HEADINGS = ("inputs", "read", "refused", "failures", "cpu s", "slowest")


def main() -> None:
    """Fuzz the parsers and print the outcome; exit with 1 if a parser failed.

    A parser fails if it neither reads nor refuses an input.
    """
    sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "fuzz")]
    every = importlib.import_module("fuzzing.every_target")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", help="parts of their names (all)")
    parser.add_argument("--quick", action="store_true", help="2,000 inputs for each")
    parser.add_argument("--seed", type=int, help="a new one by default")
    chosen = parser.parse_args()
    seed = secrets.randbelow(10**9) if chosen.seed is None else chosen.seed
    print(f"seed {seed}")
    inputs = 2_000 if chosen.quick else 100_000
    names = [
        target for target in every.TARGETS if any(part in target for part in chosen.targets or [""])
    ]
    print(f"{'':30}" + "".join(f"{heading:>9}" for heading in HEADINGS), flush=True)
    failures: list[str] = []
    for finding in every.fuzz_all(names, inputs, seed, KEPT):
        counts = (finding.inputs, finding.accepted, finding.refused, len(finding.failures))
        shown = (*map("{:,}".format, counts), f"{finding.seconds:.0f}", f"{finding.slowest:.2f}")
        print(f"{finding.name:30}" + "".join(f"{count:>9}" for count in shown), flush=True)
        failures += [f"{finding.name}: {failure}" for failure in finding.failures]
    print(*failures, f"{len(names)} targets, {len(failures)} kinds of failure", sep="\n")
    if failures:
        print(f"their inputs are in {KEPT}")
    sys.exit(bool(failures) or not names)


if __name__ == "__main__":
    main()
