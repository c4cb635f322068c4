"""Nothing opens a file, parses, starts a program or answers a request outside of its layer."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKERS = "remem/apps/rivals/workers/"
"""Programs of other environments, which have nothing of remem."""

LAYERS = {
    "open": (
        "remem/files/opened.py",  # to read
        "remem/files/disk.py",  # to write
        "remem/files/line_log.py",
        "remem/run/interruption.py",  # nothing, in place of a closed terminal
        "remem/files/bounded_log.py",
        "remem/files/programs.py",
        "remem/files/program_guard.py",
        "remem/files/live_process.py",
        "remem/run/ray_runner.py",  # /proc/mounts
        "remem/bundle/archive.py",
        "remem/bundle/reading.py",
        "remem/benchmarks/files/download.py",
        "remem/index/stored_arrays.py",
        "remem/llm/vector_store.py",
        "remem/llm/sqlite_file.py",
    ),
    "parse": ("remem/files/json_text.py", "remem/files/adapters.py", "remem/files/yaml_text.py"),
    "unpack": (
        "remem/files/opened.py",
        "remem/bundle/reading.py",
        "remem/bundle/archive.py",
        "remem/bundle/pack.py",
        "remem/llm/http_client.py",
    ),
    "spawn": ("remem/files/programs.py", "remem/files/program_guard.py"),
    "serve": ("remem/serve/http_handler.py", "remem/serve/server.py"),
}
"""The modules of each layer, here and nowhere else."""

CALLS = {
    **dict.fromkeys(("open", "read_bytes", "read_text", "write_bytes", "write_text"), "open"),
    **dict.fromkeys(("validate_json", "model_validate_json", "raw_decode"), "parse"),
    **dict.fromkeys(("send_response", "send_response_only"), "serve"),
}
"""Methods by what they do."""
FUNCTIONS = {
    "open": "open",
    "os.open": "open",
    "os.fdopen": "open",
    "json.loads": "parse",
    "json.load": "parse",
    "zlib.decompress": "unpack",
    "zlib.decompressobj": "unpack",
    "OmegaConf.load": "parse",
    "yaml.load": "parse",
    "yaml.safe_load": "parse",
    **dict.fromkeys(("os.system", "os.fork", "os.posix_spawn", "os.popen"), "spawn"),
}
MODULES = {
    **dict.fromkeys(("gzip", "zipfile", "tarfile", "bz2", "lzma"), "unpack"),
    **dict.fromkeys(("subprocess", "pty"), "spawn"),
    **dict.fromkeys(("http.server", "socketserver"), "serve"),
}
"""Modules that a layer alone imports."""
MODES = frozenset("rwaxb+t")


def breaches(source: str) -> Iterator[tuple[str, int]]:
    """Yield what a source does that belongs to a layer, with the line."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [str(node.module)]
        else:
            names = []
            if isinstance(node, ast.Call) and (layer := layer_of(node)):
                yield layer, node.lineno
        yield from ((MODULES[name], node.lineno) for name in names if name in MODULES)


def layer_of(call: ast.Call) -> str | None:
    """Return the layer that a call belongs to, if it belongs to one."""
    name = ast.unparse(call.func)
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    if not isinstance(call.func, ast.Attribute):
        return None
    if call.func.attr == "open" and not opens_a_path(call):
        return None
    return CALLS.get(call.func.attr)


def opens_a_path(call: ast.Call) -> bool:
    """Return whether a call of a method `open` is one of a path: others have no mode."""
    stated = [arg.value for arg in call.args if isinstance(arg, ast.Constant)]
    modes = [text for text in stated if isinstance(text, str) and set(text) <= MODES]
    named = {keyword.arg for keyword in call.keywords}
    return bool(modes) or bool(named & {"encoding", "mode", "buffering"}) or not call.args


def outside(root: Path) -> list[str]:
    """Return each place in a checkout that does the work of a layer outside of it."""
    files = [path for name in ("remem", "baselines") for path in (root / name).rglob("*.py")]
    places = []
    for path in sorted(files):
        name = path.relative_to(root).as_posix()
        if not name.startswith(WORKERS):
            places += [
                f"{name}:{line} does what only the layer {layer!r} may do"
                for layer, line in breaches(path.read_text("utf-8"))
                if name not in LAYERS[layer]
            ]
    return places


def test_nothing_opens_parses_unpacks_spawns_or_serves_outside_of_its_layer() -> None:
    assert outside(ROOT) == []


@pytest.mark.parametrize(
    ("line", "layer"),
    [
        ("Path('a').read_bytes()", "open"),
        ("open('a')", "open"),
        ("path.open('rb')", "open"),
        ("json.loads(line)", "parse"),
        ("adapter(Kind).validate_json(line)", "parse"),
        ("from gzip import decompress", "unpack"),
        ("import subprocess", "spawn"),
        ("handler.send_response(200)", "serve"),
    ],
)
def test_a_planted_breach_is_found(tmp_path: Path, line: str, layer: str) -> None:
    (tmp_path / "remem").mkdir()
    (tmp_path / "remem" / "new.py").write_text(f"import json\n\n{line}\n")
    assert outside(tmp_path) == [f"remem/new.py:3 does what only the layer {layer!r} may do"]
