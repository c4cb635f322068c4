"""Fuzz the readers of bundles: odd bytes and members, or odd contents with right sums."""

import hashlib
import io
import json
import struct
import tempfile
import zipfile
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from fuzzing.data_targets import write
from fuzzing.harness import Target
from fuzzing.mutation import (
    STRINGS,
    changed_bytes,
    changed_document,
    changed_json,
    changed_text,
)

from remem.bundle.archive import PLACE, write_seal
from remem.bundle.pack import pack
from remem.bundle.portable import localised, replay_config
from remem.bundle.reading import open_bundle
from remem.bundle.run_parts import malformed_config
from remem.bundle.verify import verify
from remem.config.run_config import compose_config, run_config
from remem.errors import UsageError, VerificationFailedError
from remem.reports.html import table_files
from remem.results.verdicts import Judgment, cases_of, open_judgments
from remem.run.experiment import run_experiment
from remem.run.progress import no_view

REFUSED = (VerificationFailedError, UsageError)
NAMES = (
    *("../evil", "/etc/passwd", "a/../../b", "runs\\..\\x", "C:/x", ".hidden"),
    *("runs/1/config.json",),
    *("index.json", "calls.jsonl", "x" * 300, "\u202egpj.exe", "a\x00b", "runs/1/records.jsonl/"),
    *("con", "a/b/c/d/e", "", "judgments.x.jsonl"),
)
PLACES = {"data": "/nowhere", "results": "/nowhere", "prompts": "/nowhere"}


@cache
def members() -> dict[str, bytes]:
    """Return the entries of a small bundle: a run of two questions with verdicts of a judge."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as place:
        results = Path(place) / "results"
        overrides = [
            f"paths.results={results}",
            "dataset=generated_dialogues",
            "dataset.build.conversations=1",
            "dataset.build.sessions=1",
            "run.limit=2",
            "method=remem_s",
            "convention.score.resamples=9",
        ]
        result = run_experiment(run_config(compose_config(overrides)))
        with open_judgments(result.folder / "judgments.mine.jsonl") as log:
            for case in cases_of(result.records, "by_category", 1):
                log.append(Judgment(case, "ok", correct=True))
        packed = pack(
            [result.folder],
            Path(place) / "x.remem",
            no_view,
            files=table_files,
        )
        with zipfile.ZipFile(packed.path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}


def archive_of(contents: dict[str, bytes], *, listed: bool = True) -> bytes:
    """Return an archive of these contents; its index lists them with their actual sums."""
    contents = dict(contents)
    if listed:
        index = json.loads(contents.pop("index.json"))
        index["entries"] = [
            {"name": name, "sha256": hashlib.sha256(one).hexdigest(), "bytes": len(one)}
            for name, one in contents.items()
        ]
        contents["index.json"] = json.dumps(index).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in contents.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED, 1)
        archive.comment = PLACE
    return out.getvalue()


@cache
def whole() -> bytes:
    return archive_of(members())


def _bytes(rng: Random) -> bytes:
    """Return a bundle with some changed bytes, mostly in the archive's directory."""
    content = whole()
    if rng.random() < 0.5:
        return changed_bytes(rng, content, 3)
    at = rng.randrange(content.index(b"PK\x01\x02"), len(content))
    odd = rng.choice(
        (b"\xff", b"\x00", b"\xff\xff\xff\xff", struct.pack("<I", rng.getrandbits(32)))
    )
    return content[:at] + odd + content[at + len(odd) :]


def _structure(rng: Random) -> bytes:
    """Return an archive with additional members whose name, kind, method or size is odd."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members().items():
            if rng.random() > 0.02:
                archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED, 1)
        for _ in range(rng.randrange(3)):
            _add_odd(rng, archive)
        archive.comment = rng.choice((PLACE, b"", b"x" * 64))
    content = out.getvalue()
    if rng.random() < 0.3:  # what the directory says of sizes and flags
        at = content.rfind(b"PK\x01\x02") + rng.choice((6, 8, 10, 20, 24, 28, 30, 38, 42))
        content = content[:at] + rng.randbytes(rng.choice((1, 2, 4))) + content[at + 4 :]
    return content


def _add_odd(rng: Random, archive: zipfile.ZipFile) -> None:
    name = rng.choice((*NAMES, changed_text(rng, "runs/1/config.json", 1)))
    info = zipfile.ZipInfo(name.encode("utf-8", "replace").decode())
    info.external_attr = rng.choice((0, 0o120777 << 16, 0o040755 << 16, 0o060000 << 16))
    info.create_system = rng.choice((0, 3, 19))
    method = rng.choice((0, 8, 8, 12, 14))
    content = rng.choice((b"", b"x", b"/etc/passwd", b"\0" * 300_000))
    archive.writestr(info, content, method, 9)


def _contents(rng: Random) -> bytes:
    """Return a sealed bundle with one changed entry, listed with its actual sum."""
    contents = dict(members())
    name = rng.choice([item for item in contents if item.endswith((".json", ".jsonl"))])
    contents[name] = _changed_entry(rng, name, contents[name])
    return archive_of(contents, listed=name != "index.json")


def _changed_entry(rng: Random, name: str, content: bytes) -> bytes:
    if name.endswith(".json"):
        return changed_document(rng, json.loads(content))
    every = content.splitlines() or [b"{}"]
    at = rng.randrange(len(every))
    every[at] = changed_document(rng, json.loads(every[at])).replace(b"\n", b" ")
    return b"\n".join(every) + rng.choice((b"\n", b"\n", b"\n", b"", b"\n\n"))


def read_whole(content: bytes) -> None:
    path = write("x.remem", content)
    with open_bundle(path) as bundle:
        bundle.check_sums()
    verify(path)


def read_sealed(content: bytes) -> None:
    path = write("x.remem", content)
    write_seal(path)
    verify(path)


def _configuration(rng: Random) -> dict[str, Any]:
    name = next(member for member in members() if member.endswith("/config.json"))
    config = json.loads(members()[name])
    if rng.random() < 0.5:
        return changed_json(rng, config)
    target = rng.choice(
        (
            "os.system",
            "builtins.eval",
            "remem.run.store.os",
            "remem.cli.main.main",
            "subprocess.Popen",
            "x",
        )
    )
    group = rng.choice(("dataset", "method", "reader", "embedder"))
    config[group]["build"] = rng.choice(
        (
            {"_target_": target, "_args_": ["true"]},
            {**config[group]["build"], "x": [{"_target_": target}]},
            {**config[group]["build"], "store": rng.choice(STRINGS)},
            {**config[group]["build"], "data": rng.choice(NAMES)},
        )
    )
    return config


def read_configuration(config: dict[str, Any]) -> None:
    if not isinstance(config, dict):
        return
    with malformed_config("x.remem: run 1"):
        found = replay_config(localised(config, PLACES, ()))
        assert found.run_folder("0").is_relative_to("/nowhere/runs")
        assert "os.system" not in json.dumps(found.resolved)


TARGETS = (
    Target("bundles: bytes", _bytes, read_whole, REFUSED),
    Target("bundles: structure", _structure, read_sealed, REFUSED),
    Target("bundles: contents", _contents, read_sealed, REFUSED),
    Target("bundles: configurations", _configuration, read_configuration, REFUSED),
)
