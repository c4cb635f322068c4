"""Ask 150 questions about 30 made-up logs; write how many are answered right: `make ask-logs`."""

import argparse
import csv
import io
from collections.abc import Sequence
from pathlib import Path

from measure.asked_logs import TUNED_ON, Judged, ask_all, questions, rows

FOLDER = Path(__file__).parent.parent / "results" / "tables" / "own_logs"
HEADINGS = (
    "asked for",
    f"rules, first {TUNED_ON} logs",
    "rules, held out",
    f"SmolLM2, first {TUNED_ON} logs",
    "SmolLM2, held out",
)


def main() -> None:
    """Ask, show the table, and write it with the answers unless only the rules were asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules-only", action="store_true", help="no model; nothing is written")
    chosen = parser.parse_args()
    asked = questions()
    by_rules = list(ask_all(asked, ()))
    if chosen.rules_only:
        print(*(" | ".join(row) for row in rows(by_rules)), sep="\n")
        return
    by_model = list(ask_all(asked, ("llm=smollm2",)))
    text = table(by_rules, by_model)
    print(text)
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "own_logs.md").write_text(text, encoding="utf-8")
    (FOLDER / "answers.csv").write_text(answers(by_rules, by_model), encoding="utf-8")


def table(by_rules: Sequence[Judged], by_model: Sequence[Judged]) -> str:
    """Return the table as Markdown."""
    lines = [
        "# Questions about logs of your own: the share answered right",
        "",
        f"`make ask-logs` asks {len(by_rules)} questions about 30 made-up logs (`tests/ask`). The "
        f"rules were tuned on the first {TUNED_ON} logs; the others are held out. Right is an "
        "answer whose sentence has the gold answer word for word. If a date is asked for, the "
        "date next to the sentence may have it, unless the model wrote another date. If a person "
        'is asked for and the sentence says "I", the speaker may be it. Where the log does not '
        'say, only "nothing" is right.',
        "",
        f"| {' | '.join(HEADINGS)} |",
        f"|:--|{'--:|' * (len(HEADINGS) - 1)}",
    ]
    for left, right in zip(rows(by_rules), rows(by_model), strict=True):
        lines.append(f"| {' | '.join((*left, *right[1:]))} |")
    return "\n".join(lines) + "\n"


def answers(by_rules: Sequence[Judged], by_model: Sequence[Judged]) -> str:
    """Return every question with both answers as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("log", "question", "gold", "rules", "right", "smollm2", "right"))
    for left, right in zip(by_rules, by_model, strict=True):
        asked = left.asked
        verdicts = (left.answer, int(left.right), right.answer, int(right.right))
        writer.writerow((asked.log, asked.question, asked.answer or "", *verdicts))
    return out.getvalue()


if __name__ == "__main__":
    main()
