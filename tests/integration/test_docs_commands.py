"""Every command block of the README and the docs: its commands exist, and they run.

A block names its language: `sh` for commands, `console` for commands after `$` with their output.
`NOT_RUN` states the reasons for commands that are not run here. All others run once on a few
questions, page by page and in order. `make` targets, environments and extras must exist.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import typer

from remem.cli.main import app
from remem.cli.names import all_tables, table_by_number
from remem.config.override_text import is_override
from remem.config.run_config import compose_config
from remem.errors import UsageError

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
LOOP = re.compile(r"for .*?\bdone\b", re.DOTALL)
ENVIRONMENT = r"(?:\w+=\S* )*"
FEW = "run.histories=1 run.limit=3"
MAKE_VARIABLES = {
    **{target: {"TABLE", "ARGS", "TORCH"} for target in ("reproduce-table", ".venv/baselines")},
    **{target: {"ARGS"} for target in ("datasets", "bench", "test")},
    "env": {"NAME", "TORCH"},
}
"""The variables that a target of `make` reads."""
ENVIRONMENT_VARIABLES = {
    *("REMEM_DATA", "REMEM_RESULTS", "OPENAI_API_KEY", "OPENAI_BASE_URL", "PYTHONPATH"),
    *("RAY_AUTH_MODE", "RAY_USAGE_STATS_ENABLED"),
}
LAUNCHERS = {"launcher=joblib", "launcher=submitit_slurm"}
WITH_A_VALUE = ("--set", "--stated")
SHARED = ("--config-dir", "--trust-config")

LANGUAGES = {"sh", "console", "text", "python", "yaml"}
PROGRAM = (
    r"\.(?= (?:\.venv(?:-inspect)?|~/remem)/bin/activate)|cd(?= (?:examples|\.\.)/)|cp|export|for"
    r"|inspect|make|minisign|mkdir|pipx?|python3?|ray|(?:\.venv[\w-]*/bin/)?remem"
)

NOT_RUN = (
    ("test_example_board runs it", r"^mkdir -p bundles|^cp examples|^for (?:method|bundle) "),
    ("test_leaderboard runs such a command", r"leaderboard bundles"),
    ("needs an environment and a model", r"^\.venv-"),
    ("needs files that you or other commands write", r"^for run in results/"),
    ("needs data", r"convention\.run\..*dataset=locomo|dataset=locomo.*convention\.run\."),
    ("needs a server", r"gateway_memory llm="),
    ("test_docs_conventions composes it", r"convention\.run\."),
    ("test_certify certifies bundles", r"referee certify examples/real_model"),
    (
        "has a placeholder",
        r"<|\.\.\.|\$|\b(?:RUN|NEW_RUN|RUN_[A-C]|SWEEP|BUNDLES|SITE|KEY|[ABC])\b",
    ),
    ("has a placeholder", r"TABLE_OR_RUN|my_memory\.py|my_server|my-memory|example\.com"),
    (
        "needs files that you or other commands write",
        r"(?<!own_log/)\b(?:diary|session|chat)\.txt|(?<!own_log/)questions\.|(?:sheet|errors)\.csv|answers",
    ),
    (
        "needs files that you or other commands write",
        r"(?:table|shared|t)\.remem|results/runs|view results|baseline\.jsonl|bundles",
    ),
    ("needs a model", r"llm=|--models|--live|judge=likelihood"),
    ("needs data", r"REMEM_DATA|dataset=(?:locomo|realtalk|beam|longmemeval|personamem)"),
    ("needs a network", r"data (?:fetch|prompts)"),
    (
        "needs data",
        r"\bestimate\b|data audit|results/\*|table (?:3 (?:--models|embedder=)|--all|locomo_1)",
    ),
    ("needs data", r"frontier|recollection"),
    ("needs an extra", r"\bray\b|slurm|joblib|wandb|minilm|langmem|mcp_memory"),
    ("needs jq", r"\| jq"),
    ("waits for a person", r"remem (?:view|serve)"),
    ("takes minutes; CI runs make reproduce-table", r"table offline"),
    ("test_example_bundle and test_strong_example run it", r"bundle replay examples/"),
    ("test_docs_outputs runs it, or a sweep like it", r"ablation=none|histories=1 reader=typed"),
    ("test_docs_outputs runs it, or a sweep like it", r"top_k=3,5,10,20"),
    ("test_gate runs it", r"run method=bm25_messages(?: method\.build\.top_k=2)?$"),
    ("takes minutes to hours, and installs", rf"^{ENVIRONMENT}make "),
    ("installs", r"^pipx? |^python3 -m venv"),
    ("needs an environment", r"^\. "),
    ("is not of remem", r"^(?:inspect|minisign|ray) "),
)
"""Why a command is not run here, with the pattern that finds such commands."""


def commands(page: Path) -> Iterator[str]:
    """Yield the commands on a page, without comments and prompts; a loop is one command."""
    for language, block in FENCE.findall(page.read_text(encoding="utf-8")):
        text = re.sub(r"\s+#.*$|^#.*$", "", block.replace("\\\n", " "), flags=re.MULTILINE)
        if language == "console":
            text = "\n".join(re.findall(r"^\$ (.*)$", text, re.MULTILINE))
        if language in ("sh", "console"):
            yield from LOOP.findall(text)
            parts = re.split(r"\n|;|&&", LOOP.sub("", text))
            yield from filter(None, map(str.strip, parts))


def words_of(command: str) -> list[str]:
    """Return the words of a command after "remem", with values for its placeholders.

    `make reproduce-table` and `make datasets` stand for the command of remem that they run.
    """
    filled = re.sub(r"llm=<[^>]*>", "llm=loopback-stub", command).replace("$method", "remem_s")
    filled = re.sub(r"<(?:dollars|partition)>", "1", filled).replace("<set>", "locomo")
    filled = re.sub(r"<[^>]*>", "X", filled.replace("=<method>", "=remem_s"))
    words = shlex.split(re.sub(r"^for .*\bdo\b|;\s*done$", "", filled, flags=re.DOTALL))
    made = re.search(r"make (reproduce-table|datasets)", command)
    if made:
        given = dict(word.split("=", 1) for word in words if "=" in word)
        table = ["table", given.get("TABLE", "offline")]
        verb = table if made[1] == "reproduce-table" else ["data", "fetch"]
        return [*verb, *given.get("ARGS", "").split()]
    programs = [at for at, word in enumerate(words) if re.fullmatch(r"(?:\.\S*/)?remem", word)]
    return words[programs[0] + 1 :] if programs else []


def every_command() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for command in commands(page):
            yield page.relative_to(ROOT).as_posix(), command


pytestmark = [pytest.mark.app(name) for name in ("own_log", "referee", "rivals", "small_model")]
ALL = list(dict.fromkeys(every_command()))
FIRST_PAGE = {command: page for page, command in reversed(ALL) if words_of(command)}
OF_REMEM = [(page, command) for command, page in FIRST_PAGE.items()]


@pytest.mark.parametrize(("page", "command"), OF_REMEM, ids=[f"{p}: {c}" for p, c in OF_REMEM])
def test_the_options_and_settings_of_a_command_exist(page: str, command: str) -> None:
    words = words_of(command)
    verb: click.Command = typer.main.get_command(app)
    while isinstance(verb, click.Group) or hasattr(verb, "get_command"):
        named = verb.get_command(click.Context(verb), words[0])
        assert named is not None, f"{page} names no command: {command}"
        verb, words = named, words[1:]
    try:
        verb.make_context(verb.name, [*words])  # unknown options, and too few or too many words
    except (UsageError, typer.BadParameter) as error:  # files and runs of your own
        assert re.search("is not a run|does not exist", str(error)), f"{page}: {command}"
    if re.match(rf"{ENVIRONMENT}remem run ", command):  # whose options are Hydra's
        assert {word for word in words if word.startswith("-")} <= {"-m", "--json", *SHARED}
    if verb.name == "pack" and not re.search("TABLE|/", words[0]):
        assert words[0] in all_tables(), command
    if {"--config-dir", "--trust-config"} & {*words}:
        return  # names of your own
    if verb.name == "table" and " log " not in command and re.match(r"\w", words[0]):
        assert table_by_number(words[0]) in all_tables(), command
    behind = zip(("", *words), words, strict=False)
    settings = [word for last, word in behind if is_override(word) and last not in WITH_A_VALUE]
    if settings:
        for job in of_each_job(settings) if "-m" in words else [settings]:
            compose_config(job)


def of_each_job(settings: list[str]) -> Iterator[list[str]]:
    """Yield settings such that each value of a sweep is in one of them."""
    values = {
        key: value.split(",") if "[" not in value else [value]
        for key, _, value in (word.partition("=") for word in settings)
        if not key.startswith("hydra")
    }
    for job in range(max(map(len, values.values()))):
        yield [f"{key}={several[min(job, len(several) - 1)]}" for key, several in values.items()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_block_names_its_language_and_its_shell_can_be_read(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    blocks = FENCE.findall(text)
    assert {language for language, _ in blocks} <= LANGUAGES
    assert text.count("```") == 2 * len(blocks) and "~~~" not in text
    shell = "".join(re.sub(r"<[^>]*>", "X", block) for name, block in blocks if name == "sh")
    read = subprocess.run(["bash", "-n"], input=shell, capture_output=True, text=True, check=False)
    assert read.stderr == ""


@pytest.mark.parametrize("command", dict.fromkeys(command for _, command in ALL))
def test_a_program_is_known(command: str) -> None:
    matched = re.match(rf"({ENVIRONMENT})(?:{PROGRAM}) ", command)
    assert matched
    names = re.findall(r"(?:^| )(\w+)=", command if "export " in command else matched[1])
    assert {*names} <= ENVIRONMENT_VARIABLES
    for environment in re.findall(r"\.venv-[\w-]+", command):
        assert f"\n{environment}/ready:" in (ROOT / "Makefile").read_text(encoding="utf-8")
    assert {*re.findall(r"hydra/(\S+)", command)} <= LAUNCHERS
    for path in re.findall(r"(?<![\w/.])(?:examples|docs)/[\w./*-]+", command):
        assert any(ROOT.glob(path.rstrip("/"))), path


MADE = [each for _, each in ALL if re.match(rf"{ENVIRONMENT}make ", each)]


@pytest.mark.parametrize("command", MADE)
def test_make_knows_the_target_and_the_environment(command: str) -> None:
    target, *given = re.sub("\".*?\"|'.*?'", "X", command).partition("make ")[2].split()
    names = {word.partition("=")[0] for word in given}
    assert names <= MAKE_VARIABLES.get(target, set()), command
    assert names or target != "env"
    filled = re.sub("<[^>]*>", "X", command).replace("make ", "make --dry-run ", 1)
    done = subprocess.run(
        ["bash", "-c", filled], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for name in re.findall(r"\bNAME=(\S+)", command):
        locks = ROOT.glob(f"remem/apps/*/workers/{name.replace('-', '_')}.lock.txt")
        rule = f".node-{name.removeprefix('mcp-')}/ready:", f".venv-{name}/ready:"
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        assert any(f"\n{start}" in makefile for start in rule) or any(locks), name


def test_the_extras_of_every_installation_exist() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    named = re.findall(r"\bpipx? install [^\n`]*\[([\w,-]+)\]", text)
    assert len(named) >= 10
    assert {extra for names in named for extra in names.split(",")} <= {
        *project["optional-dependencies"]
    }


def reason_not_to_run(command: str) -> str:
    return next((why for why, sign in NOT_RUN if re.search(sign, command)), "")


@pytest.mark.slow
@pytest.mark.parametrize("page", dict.fromkeys(page for page, _ in ALL))
def test_the_commands_of_a_page_run(page: str, tmp_path: Path) -> None:
    here = [each for where, each in ALL if where == page and FIRST_PAGE.get(each, page) == page]
    run = [each for each in here if not reason_not_to_run(each)]
    if not any(words_of(each) for each in run):
        pytest.skip("each command of the page is on an earlier one or has a reason in NOT_RUN")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    lines = [
        f"{each} {FEW}" if re.search(r"remem run", each) and "run.limit" not in each else each
        for each in run
    ]
    bin_folder = str(Path(sys.executable).parent)
    env = {
        **{name: value for name, value in os.environ.items() if not name.startswith("REMEM_")},
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "REMEM_RESULTS": str(tmp_path / "results"),
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(lines)],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, f"{lines}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


def test_commands_are_run_and_each_reason_is_needed() -> None:
    run = [each for _, each in OF_REMEM if not reason_not_to_run(each)]
    assert len(run) >= 15
    for _, sign in NOT_RUN:
        assert any(re.search(sign, each) for _, each in ALL), sign
