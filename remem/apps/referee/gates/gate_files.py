"""Write the result of `remem referee gate` for programs: JUnit XML with ids and numbers only."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from remem.apps.referee.gates.gate import Gated, ScoreGate
from remem.apps.referee.gates.gate_text import category_line, decision
from remem.files.disk import write_whole
from remem.files.plain_text import printable

SUITE = "remem referee gate"


@dataclass(frozen=True, slots=True)
class _Case:
    """A test case: what it says, and how it ended."""

    group: str
    name: str
    said: str
    end: str = ""
    """"failure", "error", or "" if it passed."""


def write_junit(path: Path, gated: Gated | str) -> None:
    """Write a JUnit file with a test case for each score and for each of its categories.

    Args:
        path: The file to write.
        gated: The decision of the gate, or the reason why there is none.
    """
    cases = [_Case("gate", "frozen questions", gated, "error")] if isinstance(gated, str) else []
    if not isinstance(gated, str):
        cases += [case for score in gated.scores for case in _cases(score, gated.margin)]
    write_whole(path, _xml(cases))


def _cases(score: ScoreGate, margin: float) -> Iterator[_Case]:
    group = f"gate.{score.score}"
    has_passed = score.verdict == "passed"
    yield _Case(group, "all questions", decision(score, margin), "" if has_passed else "failure")
    for part in score.categories:
        end = "" if part.has_passed else "failure"
        yield _Case(group, f"category {part.category}", category_line(part, margin), end)


def _xml(cases: list[_Case]) -> bytes:
    ends = [case.end for case in cases]
    counts = {"failures": ends.count("failure"), "errors": ends.count("error")}
    numbers = {"tests": str(len(cases)), **{name: str(count) for name, count in counts.items()}}
    suites = Element("testsuites", numbers)
    suite = SubElement(suites, "testsuite", {"name": SUITE, **numbers, "skipped": "0", "time": "0"})
    for case in cases:
        named = {"classname": printable(case.group), "name": printable(case.name), "time": "0"}
        inner = SubElement(suite, "testcase", named)
        message = printable(case.said)
        if case.end:
            SubElement(inner, case.end, {"message": message, "type": SUITE}).text = message
        else:
            SubElement(inner, "system-out").text = message
    indent(suites)
    text: bytes = tostring(suites, encoding="utf-8", xml_declaration=True)
    return text + b"\n"
