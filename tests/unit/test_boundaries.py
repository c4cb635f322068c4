"""Nothing opens a file, parses, starts a program or answers a request outside of its layer."""

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
        r"open|(io|os)\.(open|fdopen)|\.(read|write)_(bytes|text)|(np|numpy)\.(fromfile|load|memmap)",
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
        },
    ),
    "parse": (
        r"jso?n\.loads?|\.(model_)?validate_json|\.raw_decode|pydantic_core\.from_json"
        r"|OmegaConf\.load|yaml\.(\w+_)?load(_all)?|(pd|pandas)\.read_\w+",
        {
            "remem/files/json_text.py",
            "remem/files/adapters.py",
            "remem/files/yaml_text.py",
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
        r"|os\.(system|popen|fork(pty)?|(posix_)?spawn\w*|exec\w+)",
        {"remem/files/programs.py", "remem/files/program_guard.py"},
    ),
    "serve": (
        r"http\.server|socketserver|asyncio\.start_server"
        r"|\.(send_(response|header)|wfile|create_server|start_server)",
        {"remem/serve/http_handler.py", "remem/serve/server.py"},
    ),
}
"""What belongs to each layer, and its modules, here and nowhere else."""
MODES = frozenset("rwaxb+t")


def used(source: str) -> Iterator[tuple[str, int]]:
    """Yield the names that a source imports and uses, with their lines.

    A method is `.name` whatever it is called on. A call of a method `open` counts as `open` if it
    has a mode, as that of a path does.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module), node.lineno
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)
        elif isinstance(node, ast.Attribute):
            yield f".{node.attr}", node.lineno
            if isinstance(node.value, ast.Name):
                yield f"{node.value.id}.{node.attr}", node.lineno
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                yield node.func.id, node.lineno
            elif isinstance(node.func, ast.Attribute) and opens_a_path(node, node.func):
                yield "open", node.lineno


def opens_a_path(call: ast.Call, method: ast.Attribute) -> bool:
    """Return whether a call is that of a path's `open`: others have no mode."""
    if method.attr != "open":
        return False
    stated = [arg.value for arg in call.args if isinstance(arg, ast.Constant)]
    modes = [text for text in stated if isinstance(text, str) and set(text) <= MODES]
    named = {keyword.arg for keyword in call.keywords}
    return bool(modes) or bool(named & {"encoding", "mode", "buffering"}) or not call.args


def outside(root: Path) -> list[str]:
    """Return each place in a checkout that does the work of a layer outside of it."""
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
        ("np.fromfile('a')", "open"),
        ("json.loads(line)", "parse"),
        ("from json import loads", "parse"),
        ("adapter(Kind).validate_json(line)", "parse"),
        ("pd.read_csv('a')", "parse"),
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
