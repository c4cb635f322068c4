"""The sentences of a certificate that remem certify could have written of a bundle.

A sentence that follows from the bundle must be the same word for word. A sentence on the machine of
the replay must have the words that remem writes, with releases and numbers in their places.
"""

import re
from collections.abc import Iterator, Sequence

from remem.apps.referee.certificates.certificate import Certificate, CertifiedRun
from remem.apps.referee.certificates.unchecked import (
    CheckedTable,
    checked_facts,
    facts_of_run,
    general_facts,
)
from remem.bundle.verify import Verified

RELEASE = r"[\w.+!-]{1,60}"
PACKAGE = r"[\w.\[\]-]{1,80}"
CERTIFIED_WITH = re.compile(rf"remem {RELEASE}")
REPLAYED = re.compile(
    rf"same result(, with its memory built again (through {PACKAGE}( {RELEASE})?"
    rf"(, in its own environment)?|by remem {RELEASE}, which has its own code for it))?"
)
MISSING = (
    rf"(No module named '{PACKAGE}'(; '{PACKAGE}' is not a package)?"
    rf"|index=\w+ needs {PACKAGE}( and {PACKAGE})?, which is not installed: "
    rf"pip install '?{PACKAGE}'?)"
)
NOT_REPLAYED = re.compile(
    rf"memory not built again, (the same records|scores match the records) as packed: {MISSING}"
)
NOT_COMPARED = re.compile(
    r"its runs are named by the data, which differ here"
    r"|not compared: [0-9]{1,6} of its runs could not be answered here"
    r"|the same except for [0-9]{1,6} cells whose run is missing here"
)
ANSWERED_WITH = "answered here with "
OTHER_PACKAGE = re.compile(rf"({PACKAGE}) ({RELEASE}), not ({RELEASE})")
WITH_SAME_RESULT = "; with the same result"
LONGEST = 20_000
"""Maximum length of a sentence in characters."""


def foreign_sentence(certificate: Certificate, verified: Verified) -> str:
    """Name the field with the first sentence that is not one of ours; "" if there is none.

    Args:
        certificate: The certificate; its runs have been compared with the bundle.
        verified: Its bundle.
    """
    if not CERTIFIED_WITH.fullmatch(certificate.certified_with):
        return "certified_with"
    for run in certificate.runs:
        form = REPLAYED if run.replayed else NOT_REPLAYED
        if len(run.outcome) > LONGEST or not form.fullmatch(run.outcome):
            return f"outcome of {run.label}"
    tables = _tables(certificate.unchecked, verified)
    if certificate.checked != tuple(checked_facts(verified, certificate.runs, tables)):
        return "checked"
    return "" if _are_unchecked(certificate, verified, tables) else "unchecked"


def _tables(unchecked: Sequence[str], verified: Verified) -> list[CheckedTable]:
    """Return the tables of a bundle; one with a sentence of its own was not compared."""
    told = set(unchecked)
    return [
        CheckedTable(
            table.name,
            len(table.files),
            next(
                (
                    line.removeprefix(f"{table.name}: ")
                    for line in told
                    if line.startswith(f"{table.name}: ")
                    and NOT_COMPARED.fullmatch(line, len(table.name) + 2)
                ),
                "",
            ),
        )
        for table in verified.index.laid_out
    ]


def _are_unchecked(
    certificate: Certificate, verified: Verified, tables: Sequence[CheckedTable]
) -> bool:
    """Return whether the sentences are ours in our order; each run may have one remark."""
    lines = list(certificate.unchecked)
    for expected in _expected(certificate.runs, verified, tables):
        if isinstance(expected, CertifiedRun):
            if lines and _is_remark(lines[0], expected):
                del lines[0]
        elif not lines or lines.pop(0) != expected:
            return False
    return not lines


def _expected(
    runs: Sequence[CertifiedRun], verified: Verified, tables: Sequence[CheckedTable]
) -> Iterator[str | CertifiedRun]:
    """Yield the sentences, and a run where its remark may stand."""
    yield from general_facts(verified, runs)
    for run in runs:
        if not run.replayed:
            yield f"{run.label}: {run.outcome}"
        yield run
        yield from (f"{run.label}: {fact}" for fact in facts_of_run(run))
    yield from (f"{table.name}: {table.not_compared}" for table in tables if table.not_compared)


def _is_remark(line: str, run: CertifiedRun) -> bool:
    """Return whether a line is the remark on a run: other data, other packages, or both."""
    start, end = f"{run.label}: ", WITH_SAME_RESULT * run.replayed
    if len(line) > LONGEST or not (line.startswith(start) and line.endswith(end)):
        return False
    said = line[len(start) : len(line) - len(end)]
    first = [
        f"the data differ here: the run read {f.name} with sha256 {f.sha256}" for f in run.data
    ]
    for data in (*first, "the data differ here: the run read none"):
        if said == data:
            return True
        said = said.removeprefix(f"{data}; ")
    return said.startswith(ANSWERED_WITH) and _are_other_packages(said, run)


def _are_other_packages(said: str, run: CertifiedRun) -> bool:
    """Return whether a remark lists other releases than those of the run, and nothing else."""
    there = {"python": run.ran_on.python, **run.ran_on.packages}
    found = list(OTHER_PACKAGE.finditer(said, len(ANSWERED_WITH)))
    whole = ANSWERED_WITH + ", ".join(other[0] for other in found)
    return said == whole and all(there.get(other[1]) == other[3] != other[2] for other in found)
