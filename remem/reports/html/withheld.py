"""What a report leaves out by default.

The texts of data sets that have a licence are left out. Generated data has no owner, so its reports
are complete. For the user's own data or log, questions and answers are shown, and the memory is
shown on request.
"""

from remem.benchmarks.files.notes import licences_of
from remem.config.conf_files import GENERATORS
from remem.reports.html.questions import Json
from remem.results.run import Run

LEFT_OUT = "(left out)"


def is_generated(run: Run) -> bool:
    """Return True if all of the data comes from a generator of this project."""
    source = run.config.settings.dataset.source
    return (source.whole or source).target.startswith(GENERATORS)


def licences_withheld(run: Run, *, with_text: bool) -> tuple[str, ...]:
    """Return the licences that require the report to leave texts out."""
    return () if with_text else licences_of(run.manifest.data_names)


def without_texts(question: Json) -> Json:
    """Remove the texts of a question; keep its id, scores, tools and the ids of retrieved items."""
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
