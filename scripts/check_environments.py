"""Check that pip can resolve every installation in the docs.

    python scripts/check_environments.py [WORD ...]      (10 minutes; nothing is installed)

The script checks each `pip install` command in the pages and in conf/, each extra, and each lock
file of the Makefile. If words are given, it checks only the commands that contain one of the words.
pip resolves each command in an empty environment.
"""

import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from venv import EnvBuilder

ROOT = Path(__file__).parent.parent
PAGES = (
    *("README.md", "docs/**/*.md", "datasets/*/README.md", "examples/*/README.md"),
    *("conf/*/*.yaml", "remem/apps/*/conf/*/*.yaml"),
)
COMMAND = re.compile(r"pip install ((?:'[^']+'|[^`)#|\n;,'])+)")
OURS = re.compile(r"^(?:remem|\.|<checkout>)((?:\[[\w,]+\])?)$")
LOCKS = (
    ("nv-embed.lock.txt",),
    ("remem/apps/rivals/workers/mem0_2.lock.txt", "--no-deps"),
    ("remem/apps/rivals/workers/graphiti_new.lock.txt", "--no-deps"),
    ("remem/apps/rivals/workers/langmem.lock.txt", "--no-deps"),
    ("remem/apps/rivals/workers/lightrag.lock.txt", "--no-deps"),
    ("remem/apps/rivals/workers/mempalace.lock.txt", "--no-deps"),
    ("remem/apps/rivals/workers/simplemem.lock.txt", "--no-deps"),
    ("tests/oracles/hipporag2.lock.txt", "--no-deps"),
    ("tiny-llm.lock.txt", "--no-deps"),
    ("constraints.txt",),
)


def main() -> int:
    """Check the chosen commands, print a line for each, and return 1 if any fails, else 0."""
    words = sys.argv[1:]
    commands = sorted({*documented(), *extras(), *locked()})
    chosen = [
        command
        for command in commands
        if not words or any(word in " ".join(command) for word in words)
    ]
    failed = 0
    with TemporaryDirectory() as folder:
        EnvBuilder(with_pip=True).create(folder)
        for command in chosen:
            reason = unresolved(Path(folder) / "bin" / "python", command)
            failed += bool(reason)
            print(f"{'FAILS' if reason else 'resolves'}: pip install {shlex.join(command)}")
            print(f"    {reason}\n" if reason else "", end="", flush=True)
    print(f"{len(chosen) - failed} of {len(chosen)} resolve")
    return min(failed, 1)


def documented() -> Iterator[tuple[str, ...]]:
    """Yield the arguments of each `pip install` in the docs, with remem from this checkout."""
    for page in sorted(path for pattern in PAGES for path in ROOT.glob(pattern)):
        for match in COMMAND.finditer(page.read_text("utf-8")):
            parts = shlex.split(match[1].partition("--index-url")[0])  # torch's: the usual index
            wanted = [OURS.sub(r".\1", part) for part in parts if not part.startswith("-")]
            if wanted:
                yield tuple(wanted)


def extras() -> Iterator[tuple[str, ...]]:
    """Yield the arguments that install each extra of the package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    yield from ((f".[{name}]",) for name in project["optional-dependencies"])


def locked() -> Iterator[tuple[str, ...]]:
    """Yield the arguments that install each lock file."""
    yield from ((*options, "-r", file) for file, *options in LOCKS)


def unresolved(python: Path, command: tuple[str, ...]) -> str:
    """Return why pip cannot resolve an installation, or "" if it can."""
    requests = [
        str(python),
        "-m",
        "pip",
        "install",
        "--dry-run",
        "--quiet",
        "--disable-pip-version-check",
    ]
    done = subprocess.run(
        [*requests, *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    return "" if done.returncode == 0 else " ".join(errors) or f"pip ended with {done.returncode}"


if __name__ == "__main__":
    raise SystemExit(main())
