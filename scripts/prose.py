"""Check the English of pages, comments, docstrings and messages with proselint and prose.yaml.

.venv/bin/python scripts/prose.py [file ...]    without files: all pages, and the code of remem

Code and links are not prose. Each finding names its place and what to write instead.
"""

import re
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from io import StringIO
from pathlib import Path

import yaml
from proselint.checks import __register__ as published_checks
from proselint.registry import CheckRegistry
from proselint.registry.checks import Check, CheckFlags
from proselint.registry.checks.engine import Fancy
from proselint.registry.checks.types import ExistenceSimple
from proselint.tools import LintFile

ROOT = Path(__file__).parents[1]
FILES = ("*.md", "docs/**/*.md", "examples/**/*.md", "remem/**/*.py", "scripts/**/*.py")
CODE = re.compile(
    r"(`+[^`]+`+|(?<=\])\([^()\s]*\)|https?://\S+|&#?\w+;)|^ *```.*?^ *```", re.S | re.M
)
TABLE_ROW = re.compile(r"^\|.*$", re.MULTILINE)
WORDS_IN_A_MESSAGE = 4


@cache
def checks() -> dict[str, bool]:
    """Register proselint's checks and ours, and return which of them apply to a page."""
    rules = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
    CheckRegistry().register_many(published_checks)
    for rule in rules["ours"]:
        how = ExistenceSimple(rule["find"].replace(" ", r"(?: +|\n *)"))
        message, path = f"'{{0}}': {rule['write']}", rule.get("only", "everywhere")
        CheckRegistry().register(Check(how, Fancy(), path, message, CheckFlags(allow_quotes=True)))
    off, on = rules["left_out"], [*rules["published"], "pages", "everywhere"]
    return dict.fromkeys(off, False) | dict.fromkeys(on, True)


def page_prose(text: str) -> str:
    """Replace code, and semicolons and digits in tables, with underscores."""
    prose = CODE.sub(lambda code: re.sub(r"[^\n]", "_" if code[1] else "", code[0]), text)
    return TABLE_ROW.sub(lambda row: re.sub(r"[;\d]", "_", row[0]), prose)


def code_prose(text: str) -> str:
    """Return the comments, docstrings and messages of a module, each on its original line."""
    lines = [""] * (text.count("\n") + 1)
    for token in tokenize.generate_tokens(StringIO(text).readline):
        message = token.type == tokenize.STRING and len(token.string.split()) >= WORDS_IN_A_MESSAGE
        if token.type == tokenize.COMMENT or message:
            prose = re.sub(r"\{[^{}]*\}|`+[^`]+`+", "_", token.string)
            for row, part in enumerate(prose.split("\n"), token.start[0] - 1):
                lines[row] += part.strip()
    return "\n".join(lines)


def findings(name: str, text: str) -> Iterator[str]:
    """Yield what is wrong with a file, as `file:line: what, what to write instead`."""
    page = name.endswith(".md")
    enabled = checks() if page else checks() and {"everywhere": True}
    prose = LintFile(name, page_prose(text) if page else code_prose(text))
    for finding in prose.lint({"max_errors": 1000, "checks": enabled}):
        yield f"{name}:{finding.pos[0]}: {' '.join(finding.check_result.message.split())}"


if __name__ == "__main__":
    paths = [Path(name).resolve() for name in sys.argv[1:]] or sorted(
        path for pattern in FILES for path in ROOT.glob(pattern)
    )
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}
    found = [line for name, text in texts.items() for line in findings(name, text)]
    print("\n".join(found) or f"prose: nothing to change in {len(texts)} files")
    raise SystemExit(bool(found))
