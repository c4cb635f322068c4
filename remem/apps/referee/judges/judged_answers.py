"""The verdicts of all judges on the answers of several runs, and people's labels of some of them.

The verdicts of a judge are in a file next to a run's records; a judge has the same name in every
run.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

from remem.errors import UsageError
from remem.metrics.refusal import RefusalGold
from remem.results.run import Run
from remem.results.run_names import names_in_list
from remem.results.verdicts import cases_of, judgment_files, verdicts_by_case

RIGHT = 0.5
"""The smallest mean verdict with which an answer counts as right."""
_REPEAT = re.compile(r"\s*\((?:seed|repeat) [^()]*\)")
"""The mark that distinguishes the repeats of a system in the names of imported runs."""


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer of a run with the verdicts of its judges.

    `content` is the question, the gold answers and the answer. `verdicts` has the verdicts of each
    judge, one for each repeat. Two runs of a system that differ only in the seed have the same
    `system`.
    """

    run: str
    system: str
    query_id: str
    category: str
    content: tuple[str, ...]
    verdicts: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str]:
        """The run and the question id of the answer."""
        return self.run, self.query_id

    def verdict(self, judge: str) -> float | None:
        """Return the mean verdict of a judge, from 0 to 1; None without a verdict."""
        return fmean(self.verdicts[judge]) if judge in self.verdicts else None


@dataclass(frozen=True, slots=True)
class JudgeRule:
    """How a judge's grade becomes a score.

    The score is 1 if the grade is at least `right_from`, else 0. If `right_from` is None, the score
    is the grade itself.
    """

    judge: str
    right_from: float | None = RIGHT

    @property
    def name(self) -> str:
        """The judge's name and, if the threshold is not one half, the rule."""
        if self.right_from is None:
            return f"{self.judge} (grade)"
        return self.judge if self.right_from == RIGHT else f"{self.judge} >= {self.right_from:g}"

    def score(self, answer: JudgedAnswer) -> float | None:
        """Return the score of an answer, from 0 to 1; None if the judge has not judged it."""
        verdict = answer.verdict(self.judge)
        if verdict is None or self.right_from is None:
            return verdict
        return float(verdict >= self.right_from)


def judged_answers(runs: Sequence[Run], refusal_gold: RefusalGold) -> list[JudgedAnswer]:
    """Return the answers of runs with the verdicts of all judges, without failed questions.

    Args:
        runs: Runs over the questions of one data set.
        refusal_gold: Which gold answers the judges were shown for questions to refuse.

    Raises:
        UsageError: The runs are of several data sets, or no run has a judge.
    """
    datasets = sorted({run.config.dataset for run in runs})
    if len(datasets) > 1:
        raise UsageError(
            f"the runs are on the data sets {', '.join(datasets)}; judges are compared on one "
            f"data set at a time"
        )
    judges = _judge_names(runs)
    if not judges:
        raise UsageError(
            f"no judge has given a verdict on {runs[0].name}; ask one with remem judge run"
        )
    names = run_labels(runs)
    return [
        answer
        for run, name in zip(runs, names, strict=True)
        for answer in _answers_of(run, name, judges, refusal_gold)
    ]


def rules_of(answers: Sequence[JudgedAnswer], thresholds: Sequence[float]) -> list[JudgeRule]:
    """Return the rules of all judges, the published ones first.

    Args:
        answers: The judged answers.
        thresholds: Lowest grades that count as right, for judges that give partial grades. Such a
            judge has a rule for each threshold, and one more in which the grade is the score.
    """
    verdicts: dict[str, set[float]] = {}
    for answer in answers:
        for judge in answer.verdicts:
            verdicts.setdefault(judge, set()).update(answer.verdicts[judge])
    ordered = sorted(verdicts, key=lambda judge: (not judge.startswith("published-"), judge))
    rules = []
    for judge in ordered:
        graded = not verdicts[judge] <= {0.0, 1.0}
        least = dict.fromkeys((*thresholds, None)) if graded else (RIGHT,)
        rules += [JudgeRule(judge, threshold) for threshold in least]
    return rules


def run_labels(runs: Sequence[Run]) -> list[str]:
    """Return a unique name for each run."""
    names = names_in_list([run.config for run in runs])
    counts = Counter(names)
    return [
        name if counts[name] == 1 else f"{name} {run.manifest.fingerprint} {run.folder.name}"
        for name, run in zip(names, runs, strict=True)
    ]


def system_name(name: str) -> str:
    """Return the name of a run without its seed.

    >>> system_name("mem0 (seed 1), memory-arena")
    'mem0, memory-arena'
    """
    return _REPEAT.sub("", name)


def _answers_of(
    run: Run, name: str, judges: Mapping[str, str], refusal_gold: RefusalGold
) -> Iterator[JudgedAnswer]:
    system = system_name(names_in_list([run.config])[0])
    verdicts: dict[str, dict[str, tuple[float, ...]]] = {}
    for path in judgment_files(run.folder):
        correct = verdicts_by_case(path)
        repeats = 1 + max((case.repeat for case in correct), default=0)
        for case in cases_of(run.records, refusal_gold, repeats):
            if case in correct:
                given = verdicts.setdefault(case.query_id, {})
                judge = judges[path.name]
                given[judge] = (*given.get(judge, ()), float(correct[case]))
    categories = {record.query_id: record.gold.category for record in run.records}
    for case in cases_of(run.records, refusal_gold, 1):
        yield JudgedAnswer(
            run=name,
            system=system,
            query_id=case.query_id,
            category=categories[case.query_id],
            content=(case.question, *case.golds, case.answer),
            verdicts=verdicts.get(case.query_id, {}),
        )


def _judge_names(runs: Sequence[Run]) -> dict[str, str]:
    """Return names for the judges' files: without fingerprints, unless names would be equal."""
    files = {path.name for run in runs for path in judgment_files(run.folder)}
    short = {file: _without_fingerprint(file) for file in files}
    counts = Counter(short.values())
    return {
        file: name if counts[name] == 1 else Path(file).stem.removeprefix("judgments.")
        for file, name in short.items()
    }


def _without_fingerprint(file: str) -> str:
    name = Path(file).stem.removeprefix("judgments.")
    return name.rpartition("-")[0] or name
