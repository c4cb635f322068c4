"""No code opens a file, parses, starts a program or serves requests outside of its layer."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKERS = "remem/apps/rivals/workers/"
"""Programs of other environments, which have nothing of remem."""

LAYERS = {
    "open": (
        r"open|(io|os|codecs|Path)\.(open|fdopen)|\.(read|write)_(bytes|text)|sqlite3\.connect"
        r"|numpy\.(fromfile|load|loadtxt|memmap)|linecache\.\w+|shutil\.(copy\w*|unpack_archive)",
        {
            "remem/files/opened.py",  # to read
            "remem/files/disk.py",  # to write
            "remem/files/line_log.py",
            "remem/files/live_process.py",  # /proc
            "remem/files/bounded_log.py",  # pipes
            "remem/files/programs.py",
            "remem/files/program_guard.py",
            "remem/run/ray_runner.py",  # /proc/mounts
            "remem/run/interruption.py",  # /dev/null, in place of a closed terminal
            "remem/bundle/archive.py",
            "remem/bundle/reading.py",
            "remem/benchmarks/files/download.py",
            "remem/index/stored_arrays.py",
            "remem/llm/vector_store.py",
            "remem/llm/sqlite_file.py",
            "remem/llm/ledger.py",
            "remem/bundle/replies_and_vectors.py",
        },
    ),
    "parse": (
        r"json\.(loads?|JSONDecoder)|\.(model_)?validate_json|\.raw_decode|pydantic_core\.from_json"
        r"|OmegaConf\.load|yaml\.(\w+_)?load(_all)?|\.get_yaml_loader|tomllib\.loads?"
        r"|pandas\.read_\w+",
        {
            "remem/files/json_text.py",
            "remem/files/adapters.py",
            "remem/files/yaml_text.py",
            "remem/config/config_dir.py",  # to admit a folder
        },
    ),
    "unpack": (
        r"gzip|zipfile|tarfile|bz2|lzma|zlib\.decompress(obj)?",
        {
            "remem/files/opened.py",
            "remem/bundle/reading.py",
            "remem/bundle/archive.py",
            "remem/bundle/pack.py",
            "remem/llm/http_client.py",
        },
    ),
    "spawn": (
        r"subprocess|pty|mcp\.client\.stdio|anyio\.(open|run)_process|asyncio\.create_subprocess_\w+"
        r"|os\.(system|popen|fork(pty)?|(posix_)?spawn\w*|exec\w+)"
        r"|multiprocessing\.Process|concurrent\.futures\.ProcessPoolExecutor",
        {
            "remem/files/programs.py",
            "remem/files/program_guard.py",
            "remem/tables/paper/runs.py",  # a pool of our own code
            "remem/tables/paper/forecast.py",
        },
    ),
    "serve": (
        r"http\.server|socketserver|asyncio\.start_server"
        r"|\.(send_(response|header|error)|wfile|create_server|start_server)",
        {"remem/serve/http_handler.py", "remem/serve/server.py"},
    ),
}
"""What belongs to each layer, and its modules, here and nowhere else."""
NO_PATH = re.compile(r"\w*Run|self\._archive|build_opener\(.*\)")
"""What has a method `open` and is no path."""


def used(source: str) -> Iterator[tuple[str, int]]:
    """Yield the names that a source imports and uses, with their line numbers.

    A name is given with its module, whatever alias it is imported under. A method is `.name`,
    whatever object it belongs to, and counts even if it is only passed on.
    """
    tree = ast.parse(source)
    modules = {
        alias.asname: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.asname
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module), node.lineno
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)
        elif isinstance(node, ast.Name):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute):
            owner = ast.unparse(node.value)
            yield f".{node.attr}", node.lineno
            yield f"{modules.get(owner, owner)}.{node.attr}", node.lineno
            if node.attr == "open" and not NO_PATH.fullmatch(owner):
                yield "open", node.lineno


def outside(root: Path) -> list[str]:
    """Return each place in a checkout where code does a layer's work outside of that layer."""
    files = [path for name in ("remem", "baselines") for path in (root / name).rglob("*.py")]
    places = {}
    for path in sorted(files):
        file = path.relative_to(root).as_posix()
        if not file.startswith(WORKERS):
            for name, line in used(path.read_text("utf-8")):
                for layer, (pattern, modules) in LAYERS.items():
                    if file not in modules and re.fullmatch(pattern, name):
                        places[f"{file}:{line} does what only the layer {layer!r} may do"] = name
    return list(places)


def test_nothing_opens_parses_unpacks_spawns_or_serves_outside_of_its_layer() -> None:
    assert outside(ROOT) == []


@pytest.mark.parametrize(
    ("line", "layer"),
    [
        ("Path('a').read_bytes()", "open"),
        ("open('a')", "open"),
        ("path.open('rb')", "open"),
        ("path.open(mode)", "open"),
        ("map(Path.read_text, paths)", "open"),
        ("import numpy as n; n.fromfile('a')", "open"),
        ("json.loads(line)", "parse"),
        ("from json import loads", "parse"),
        ("import json as j; map(j.loads, lines)", "parse"),
        ("from yaml import safe_load_all", "parse"),
        ("adapter(Kind).validate_json(line)", "parse"),
        ("import pandas as p; p.read_csv('a')", "parse"),
        ("from gzip import decompress", "unpack"),
        ("import subprocess", "spawn"),
        ("from os import execv", "spawn"),
        ("asyncio.create_subprocess_exec('ls')", "spawn"),
        ("handler.send_response(200)", "serve"),
        ("self.wfile.write(b'')", "serve"),
        ("from socketserver import TCPServer", "serve"),
    ],
)
def test_a_planted_breach_is_found(tmp_path: Path, line: str, layer: str) -> None:
    (tmp_path / "remem").mkdir()
    (tmp_path / "remem" / "new.py").write_text(f"import ast\n\n{line}\n")
    assert outside(tmp_path) == [f"remem/new.py:3 does what only the layer {layer!r} may do"]
