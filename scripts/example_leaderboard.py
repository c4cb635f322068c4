"""Make a leaderboard of REMem and its rivals on generated data, without a key.

make example-leaderboard    (RIVALS=1 adds Mem0 and Graphiti)

Each method is run, packed and certified by the command line; the bundle of examples/real_model is
on the same questions. A changed copy of a bundle has to be refused.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from remem.serve.stub.stub import StubServer

ROOT = Path(__file__).parents[1]
REAL_MODEL = ROOT / "examples" / "real_model" / "real-model.remem"
QUESTIONS = (
    "dataset=validation",
    "dataset@dataset.of=generated_dialogues",
    "dataset.build.share=0.115",  # the questions of REAL_MODEL, so that its runs share the boards
    "reader=typed",
)
WITHOUT_MODEL = (
    "remem_i",
    "remem_s",
    "bm25_messages",
    "embedding_messages",
    "full_context",
    "oracle_message",
)
BY_THE_STUB = ("hipporag2",)
EVERY = (*WITHOUT_MODEL, *BY_THE_STUB, REAL_MODEL.stem)
OTHER_PACKAGES = ("mem0", "graphiti")
"""Three minutes of one processor each, nearly all of it in their packages."""
SCORED, WRONG, RIGHT = "runs/1/questions.jsonl", b'"f1":0.0', b'"f1":1.0'
"""The scores of the first question that a bundle counts as wrong."""
REFUSED = 5
"""The exit code of remem leaderboard when it has refused a bundle."""


def main() -> None:
    """Make the bundles and the site; exit with 1 if the changed bundle is not refused."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="methods, or real-model; all by default")
    parser.add_argument("--rivals", action="store_true", help="Mem0 and Graphiti too")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "example-leaderboard")
    chosen = parser.parse_args()
    every = (*EVERY, *OTHER_PACKAGES) if chosen.rivals else EVERY
    site = make_site(chosen.names or every, chosen.out.absolute())
    sys.stdout.write(f"Open {site}\n")


@dataclass(frozen=True, slots=True)
class CommandLine:
    """Calls remem, says what it calls, and keeps results in a folder."""

    results: Path

    def call(self, *arguments: str | Path, code: int = 0) -> str:
        """Call remem and return what it wrote to stderr; any other exit code ends the script."""
        told = " ".join(map(str, arguments))
        sys.stdout.write(f"remem {told}\n")
        sys.stdout.flush()
        done = subprocess.run(
            [sys.executable, "-m", "remem", *arguments],
            env=os.environ | {"REMEM_RESULTS": str(self.results)},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != code:
            ended = f"remem {told} ended with exit code {done.returncode} instead of {code}"
            sys.exit(f"{done.stdout}{done.stderr}{ended}")
        return done.stderr


def make_site(names: Sequence[str], out: Path) -> Path:
    """Run, pack and certify methods, and return the page of the site; `out` must be new."""
    bundles = out / "bundles"
    bundles.mkdir(parents=True)
    with StubServer() as stub:
        for name in names:
            if name == REAL_MODEL.stem:
                shutil.copy(REAL_MODEL, bundles)
            else:
                pack(name, out, stub.base_url)
    remem = CommandLine(out / "runs")
    for bundle in sorted(bundles.glob("*.remem")):
        remem.call("certify", bundle)
    change_a_copy(bundles / f"{names[0]}.remem")
    said = remem.call("leaderboard", bundles, "--out", out / "site", code=REFUSED)
    sys.stdout.write(f"As it should be: {said}")
    return out / "site" / "index.html"


def pack(method: str, out: Path, stub: str) -> None:
    """Run a method, with results of its own so that no index is shared, and pack the run."""
    remem = CommandLine(out / "runs" / method)
    asking = method in {*BY_THE_STUB, *OTHER_PACKAGES}
    model = ("llm=loopback-stub", f"llm.build.endpoint.base_url={stub}") if asking else ()
    remem.call("run", f"method={method}", *QUESTIONS, *model)
    run = next(path.parent for path in remem.results.glob("runs/**/manifest.json"))
    bundle = out / "bundles" / f"{method}.remem"
    remem.call("bundle", run, "--out", bundle, *(("--allow-stub",) if asking else ()))


def change_a_copy(bundle: Path) -> None:
    """Write a copy of a bundle in which a wrong answer counts as right, with its certificate."""
    changed = bundle.with_name("changed.remem")
    with ZipFile(bundle) as honest, ZipFile(changed, "w", ZIP_DEFLATED) as forged:
        forged.comment = honest.comment
        for entry in honest.infolist():
            content = honest.read(entry)
            if entry.filename == SCORED:
                content = content.replace(WRONG, RIGHT, 1)
            forged.writestr(entry, content)
    for ending in (".certificate.json", ".certificate.html"):
        shutil.copy(bundle.with_suffix(ending), changed.with_suffix(ending))


if __name__ == "__main__":
    main()
