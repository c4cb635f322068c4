"""What a report leaves out by default: all texts of licensed data, and what was said in own logs.

Generated data are nobody's: their reports are whole. Of a log, or a dataset, of the reader's own
questions, golds and answers stay, and the memory comes in on request.
"""

from remem.benchmarks.files.notes import licences_of
from remem.config.conf_files import GENERATORS
from remem.evaluation.scored_run import ScoredRun
from remem.reports.html.questions import Json

LEFT_OUT = "(left out)"


def is_generated(run: ScoredRun) -> bool:
    """Tell whether all of the data comes from a generator of ours."""
    source = run.config.settings.dataset.source
    return (source.whole or source).target.startswith(GENERATORS)


def licences_withheld(run: ScoredRun, *, with_text: bool) -> tuple[str, ...]:
    """Return the licences for which a report of the run is to leave texts out."""
    return () if with_text else licences_of(run.manifest.data_names)


def without_texts(question: Json) -> Json:
    """Leave out the texts of a question: its id, scores, tools and the ids that they saw stay."""
    kept = {**question, "question": question["id"], "gold": []}
    for name in ("answer", "proposed"):
        if name in kept:
            kept[name] = LEFT_OUT
    if "error" in kept:
        kept["error"] = kept["error"].partition(":")[0]
    if "steps" in kept:
        kept["steps"] = [_bare(step) for step in kept["steps"]]
    return kept


def _bare(step: Json) -> Json:
    texts = ("arguments", "thought", "message")
    return {name: value for name, value in step.items() if name not in texts}
