"""Write the score files of a run: one for all records, and one for each part that was run."""

from pathlib import Path

from remem.config.run_config import RunConfig
from remem.evaluation.judging import read_verdicts
from remem.evaluation.score_files import SCORES, scores_name, write_scores
from remem.metrics.scores import Summary, summarise
from remem.run.run_result import RunResult


def write_run_scores(config: RunConfig, result: RunResult, summary: Summary) -> Path:
    """Write the scores of the questions asked, and scores.json for all records of the run.

    Both are the same file unless a limit leaves questions out. scores.json always covers all
    records, regardless of the part that the last command asked for.

    Args:
        config: The configuration of the run.
        result: The records of the questions asked.
        summary: The scores of the questions asked.

    Returns:
        The file that holds the scores of the questions asked.
    """
    asked = result.folder / scores_name(config.histories, config.limit)
    write_scores(asked, summary)
    if asked.name != SCORES:
        write_scores(result.folder / SCORES, _of_all(config, result, summary))
    return asked


def _of_all(config: RunConfig, result: RunResult, summary: Summary) -> Summary:
    if not result.not_asked:
        return summary
    records = (*result.records, *result.not_asked)
    verdicts = read_verdicts(config, result.folder, records)
    return summarise(records, config.score_convention(), verdicts)
