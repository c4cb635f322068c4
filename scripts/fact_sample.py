"""Sample facts of extractor=spacy for two readers, and score what the readers said.

    REMEM_DATA=<folder> python scripts/fact_sample.py draw dataset=realtalk --out sheet.jsonl
    python scripts/fact_sample.py score first.jsonl second.jsonl --keep verdicts.jsonl
    python scripts/fact_sample.py score docs/chat_graph_verdicts.jsonl --ids conv-

A sheet holds text of the data set, so it is written outside the repository. A reader writes one
line per fact, {"id": ..., "ok": true}, without seeing the other reader's. A fact counts as right
if both say so. What `--keep` writes has ids and the verdicts of both readers only, and can be
scored again.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from remem.config.run_config import compose_config, run_config
from remem.metrics.proportion import Share, share
from remem.types import Fact, History, Message

ROOT = Path(__file__).resolve().parent.parent
KEPT = ("first", "second")
"""The keys of the two readers in a file that `--keep` wrote."""


@dataclass(frozen=True, slots=True)
class SheetLine:
    """A fact with the message that it comes from and the message before."""

    id: str
    date: str
    speaker: str
    message: str
    previous: str
    fact: str


def main() -> None:
    """Draw a sample, or score two readers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    draw_verb = verbs.add_parser("draw", help="count the facts, and write a sheet of some")
    draw_verb.add_argument("overrides", nargs="+", help="such as dataset=locomo")
    draw_verb.add_argument("--first-history", type=int, default=0, help="leave out those before")
    draw_verb.add_argument("--facts", type=int, default=150)
    draw_verb.add_argument("--seed", type=int, default=7)
    draw_verb.add_argument("--out", type=Path)
    score_verb = verbs.add_parser("score", help="print the share that both readers call right")
    score_verb.add_argument(
        "verdicts", nargs="+", type=Path, help="one file each, or what --keep wrote"
    )
    score_verb.add_argument("--ids", default="", help="count only ids that begin so, such as conv-")
    score_verb.add_argument("--keep", type=Path, help="write ids and verdicts here")
    options = parser.parse_args()
    if options.verb == "draw":
        draw(options)
    else:
        score(*both_readers(options.verdicts, options.ids), keep=options.keep)


def draw(options: argparse.Namespace) -> None:
    """Print the facts per message, and write the sheet."""
    config = run_config(compose_config(["extractor=spacy", *options.overrides]))
    extract = config.build_extractor().extract
    histories = config.build_benchmark().histories()[options.first_history :]
    lines: list[SheetLine] = []
    for history in histories:
        facts = [fact for episode in history.episodes for fact in extract(episode).facts]
        lines += sheet_lines(history, facts)
    messages = sum(1 for history in histories for _ in history.messages())
    print(
        f"{len(lines)} facts of {messages} messages in {len(histories)} histories: "
        f"{len(lines) / messages:.3f} per message"
    )
    if options.out is not None:
        write_sheet(options.out, sample(lines, options.facts, options.seed))


def sheet_lines(history: History, facts: Sequence[Fact]) -> Iterator[SheetLine]:
    """Yield a line for each fact; its id names the history, the message and its place in it."""
    messages = list(history.messages())
    place = {message.id: at for at, message in enumerate(messages)}
    counted: Counter[str] = Counter()
    for fact in facts:
        at = place[fact.source[0]]
        message, before = messages[at], messages[at - 1] if at else None
        counted[message.id] += 1
        yield SheetLine(
            id=f"{history.id}/{message.id}#{counted[message.id]}",
            date=message.date,
            speaker=message.speaker,
            message=message.text,
            previous=_said(before),
            fact=fact.text.partition(" | said ")[0],
        )


def _said(message: Message | None) -> str:
    return f"{message.speaker}: {message.text}" if message is not None else ""


def sample(lines: Sequence[SheetLine], size: int, seed: int) -> list[SheetLine]:
    """Draw lines at random, in their order."""
    if size > len(lines):
        raise SystemExit(f"there are {len(lines)} facts, fewer than --facts {size}")
    chosen = np.random.default_rng(seed).choice(len(lines), size=size, replace=False)
    return [lines[at] for at in sorted(chosen.tolist())]


def write_sheet(path: Path, lines: Sequence[SheetLine]) -> None:
    """Write a new JSON Lines file outside the repository."""
    if path.resolve().is_relative_to(ROOT):
        raise SystemExit(f"{path}: a sheet holds text of the data; give a file outside {ROOT}")
    with path.open("x", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(asdict(line), ensure_ascii=False) + "\n")


def both_readers(paths: Sequence[Path], beginning: str = "") -> list[dict[str, bool]]:
    """Read both readers' verdicts on the ids with a beginning, from one kept file or from two."""
    if len(paths) > 2:
        raise SystemExit(
            f"found {len(paths)} files of verdicts, expected one of both readers or two"
        )
    if len(paths) == 2:
        readers = [read_verdicts(path) for path in paths]
    else:
        readers = [read_verdicts(paths[0], key) for key in KEPT]
    chosen = [
        {id_: ok for id_, ok in verdicts.items() if id_.startswith(beginning)}
        for verdicts in readers
    ]
    if not any(chosen):
        names = ", ".join(str(path) for path in paths)
        raise SystemExit(f"{names}: no id begins with {beginning!r}")
    return chosen


def read_verdicts(path: Path, key: str = "ok") -> dict[str, bool]:
    """Read one reader's verdicts; every id stands there once, with `key` true or false."""
    verdicts: dict[str, bool] = {}
    for number, text in enumerate(path.read_text("utf-8").splitlines(), start=1):
        where = f"{path}, line {number}"
        try:
            line = json.loads(text)
        except ValueError as error:
            raise SystemExit(f"{where}: not JSON: {error}") from error
        id_ = line.get("id") if isinstance(line, dict) else None
        if not isinstance(id_, str) or not isinstance(line.get(key), bool):
            raise SystemExit(f"{where}: expected an object with id and {key}")
        if id_ in verdicts:
            raise SystemExit(f"{where}: {id_} was judged before")
        verdicts[id_] = line[key]
    return verdicts


def score(
    first: Mapping[str, bool], second: Mapping[str, bool], *, keep: Path | None = None
) -> Share:
    """Print and return the share of facts that both readers call right, with its interval."""
    if first.keys() != second.keys():
        odd = sorted(first.keys() ^ second.keys())
        raise SystemExit(f"only one reader judged {len(odd)} facts, such as {odd[0]}")
    both = share(sum(first[id_] and second[id_] for id_ in first), len(first))
    same = share(sum(first[id_] == second[id_] for id_ in first), len(first))
    print(
        f"{both.count} of {both.n} facts are right for both readers: {100 * both.mean:.1f}% "
        f"[{100 * both.low:.1f}, {100 * both.high:.1f}]; they agree on {100 * same.mean:.1f}%"
    )
    if keep is not None:
        with keep.open("x", encoding="utf-8") as file:
            for id_ in sorted(first):
                verdict = {"id": id_, **dict(zip(KEPT, (first[id_], second[id_]), strict=True))}
                file.write(json.dumps(verdict) + "\n")
    return both


if __name__ == "__main__":
    main()
