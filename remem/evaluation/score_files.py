"""Name and write the score files in the folder of a run."""

from pathlib import Path

from remem.files.whole_file import write_whole
from remem.metrics.scores import Summary, summary_json

SCORES = "scores.json"


def scores_name(histories: object, limit: object) -> str:
    """Return the name of the score file for all questions, or for a part of them.

    Args:
        histories: The largest number of histories; None for no limit.
        limit: The largest number of questions per history; None for no limit.

    >>> scores_name(None, None), scores_name(None, 5), scores_name(2, 5)
    ('scores.json', 'scores.limit=5.json', 'scores.histories=2,limit=5.json')
    """
    limits = {"histories": histories, "limit": limit}
    part = ",".join(f"{name}={count}" for name, count in limits.items() if count is not None)
    return f"scores.{part}.json" if part else SCORES


def write_scores(path: Path, summary: Summary) -> None:
    """Write a summary as JSON."""
    write_whole(path, summary_json(summary))
