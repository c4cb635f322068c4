"""Our source never runs data as code nor uses unsafe loaders, as its syntax trees show."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path for folder in ("remem", "baselines", "scripts") for path in (ROOT / folder).rglob("*.py")
)
MODULES = {
    *("pickle", "cPickle", "_pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve", "code"),
    *("jsonpickle", "numpy.lib.format.read_array_pickle"),
    "multiprocessing.connection",  # unpickles what it receives
}
MESSAGES = ROOT / "remem" / "run" / "message_line.py"
"""It unpickles nothing before the sender has proved with an HMAC that it knows the run's key:
tests/unit/run/test_message_line.py::test_no_pickle_is_read_before_the_key_is_proved."""
BARE = {"eval", "exec", "compile", "__import__"}
DOTTED = {
    *("os.system", "os.popen", "torch.load", "pandas.read_pickle", "pd.read_pickle"),
    *("yaml.load", "yaml.load_all", "yaml.full_load", "yaml.unsafe_load", "yaml.unsafe_load_all"),
    *("hydra.utils.instantiate", "hydra.utils.call", "tarfile.open", "shutil.unpack_archive"),
}
SWITCHES = {"allow_pickle": True, "shell": True}
"""Arguments that may not be given with these values."""


def offences(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if _forbidden_module(name.name))
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{name.name}" for name in node.names)]
            yield from (name for name in names if _forbidden_module(name) or name in DOTTED)
        elif isinstance(node, ast.Call):
            yield from _of_call(node)


def _forbidden_module(name: str) -> bool:
    return name in MODULES or name.split(".", maxsplit=1)[0] in MODULES


def _of_call(node: ast.Call) -> Iterator[str]:
    called = ast.unparse(node.func)
    if called in BARE | DOTTED or called.removeprefix("builtins.") in BARE:
        yield called
    if called in ("np.load", "numpy.load") and not any(
        keyword.arg == "allow_pickle" and ast.unparse(keyword.value) == "False"
        for keyword in node.keywords
    ):
        yield f"{called} without allow_pickle=False"
    for keyword in node.keywords:
        value = ast.unparse(keyword.value)
        if keyword.arg in SWITCHES and value != str(not SWITCHES[keyword.arg]):
            yield f"{keyword.arg}={value}"
        if keyword.arg is None and isinstance(keyword.value, ast.Dict):
            yield from (f"**{value}" for switch in SWITCHES if repr(switch) in value)


@pytest.fixture(scope="module")
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}


def test_no_data_are_run_or_unpickled(trees: dict[Path, ast.Module]) -> None:
    assert len(trees) > 200
    found = {path: list(offences(tree)) for path, tree in trees.items()}
    assert found.pop(MESSAGES) == ["multiprocessing.connection"]
    assert {path: what for path, what in found.items() if what} == {}


OFFENCES = (
    "import pickle",
    "from pickle import loads",
    "import marshal as m",
    "def f():\n    import shelve",
    "from multiprocessing.connection import Client",
    "from multiprocessing import connection",
    "eval('1')",
    "exec(x)",
    "__import__('os')",
    "import yaml\nyaml.load(x)",
    "from yaml import unsafe_load",
    "import numpy as np\nnp.load(x)",
    "import numpy as np\nnp.load(x, allow_pickle=True)",
    "npy.read_array(x, allow_pickle=flag)",
    "torch.load(x)",
    "subprocess.run(x, shell=True)",
    "os.system(x)",
    "from hydra.utils import instantiate",
)


def test_the_search_finds_what_it_is_for() -> None:
    assert [source for source in OFFENCES if not list(offences(ast.parse(source)))] == []


def test_code_of_a_model_runs_only_when_asked_for_and_pinned(
    trees: dict[Path, ast.Module],
) -> None:
    """Wherever the source passes `trust_remote_code`, it is `False` or the configured value."""
    said = [
        (path.name, ast.unparse(keyword.value))
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "trust_remote_code"
    ]
    passed_on = [(name, value) for name, value in said if value != "False"]
    assert passed_on == [("sentence_transformer.py", "self._trust_remote_code")]


def test_every_configuration_that_lets_code_of_a_model_run_pins_it() -> None:
    from omegaconf import OmegaConf

    from remem.config.conf_files import all_conf_files

    found = 0
    for path in all_conf_files():
        text = path.read_text(encoding="utf-8")
        if "trust_remote_code: true" in text:
            found += 1
            embedder = OmegaConf.load(path).build.embedder
            revision = str(OmegaConf.to_container(embedder, resolve=False)["revision"])
            assert len(revision) == 40 and set(revision) <= set("0123456789abcdef"), path
    assert found


@pytest.mark.parametrize("revision", [None, "", "main", "v1.0", "0" * 39, "G" * 40])
def test_a_revision_that_is_no_commit_is_refused(revision: str | None) -> None:
    from remem.embed.sentence_transformer import SentenceTransformerEmbedder

    with pytest.raises(ValueError, match="pin the 40-digit commit that you have read"):
        SentenceTransformerEmbedder(
            model="someone/model",
            revision=revision,
            trust_remote_code=True,
            model_code=("someone/model",),
            instructions=None,
            add_eos=False,
            padding_side=None,
            max_length=8,
            batch_size=1,
            device="cpu",
            dtype="float32",
            dimension=4,
        )
