"""Compare a score of two runs without the first histories, on which something was tuned.

python scripts/measure/not_tuned_on.py <run> <run> evidence_recall 5
"""

import sys
from dataclasses import replace
from pathlib import Path

from remem.results.compare import compare_runs, format_comparison
from remem.results.run import Run
from remem.results.run_names import run_names


def without_first(run: Run, histories: int) -> Run:
    """Return a run without the records of its first `histories` histories."""
    ids = list(dict.fromkeys(record.history_id for record in run.records))[histories:]
    return replace(run, records=tuple(r for r in run.records if r.history_id in ids))


if __name__ == "__main__":
    *folders, chosen_score, tuned_on = sys.argv[1:]
    opened = [Run.open(Path(folder), ()) for folder in folders]
    first, second = (without_first(run, int(tuned_on)) for run in opened)
    for each in (first, second):
        mean = each.summary.overall.means[chosen_score]
        print(f"{each.config.label}: {'-' if mean is None else format(mean.mean, '.4f')}")
    for line in format_comparison(compare_runs(first, second, chosen_score), run_names(*opened)):
        print(line)
