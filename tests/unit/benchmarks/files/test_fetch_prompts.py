"""Fetching others' prompts from our own server: whole, cut, changed, missing, unreachable."""

import hashlib
import re

import pytest

from remem.benchmarks.files.fetched_prompts import SOURCES
from remem.cli import main as cli
from remem.config.run_config import compose_config

TEMPLATE = (
    b'wanted = "Be brief."\nprompt_template = [{"role": "user", "content": "${prompt_user}"}]\n'
)
SUM = hashlib.sha256(TEMPLATE).hexdigest()
SOURCE = compose_config(["prompts=released"]).prompts.source
PATHS = sorted(file for origin in SOURCE.origins.values() for file in origin.files)
NAMES = sorted(file.rpartition("/")[2] for file in PATHS)
ORIGINS = {
    "released": [f"prompts.source.origins.{name}" for name in SOURCE.origins],
    "mem0-judge": ["judge.source.origins.mem0"],
    "beam-judge": ["judge.source.origins.beam"],
    "longmemeval-judge": ["judge.source.origins.longmemeval"],
    "locomo-plus-judge": ["judge.source.origins.locomo_plus"],
    "personamem": ["prompts.source.origins.personamem"],
}
UNPINNED_SUMS = "prompts.source.sums={" + ", ".join(f"{item}: UNPINNED" for item in NAMES) + "}"


@pytest.fixture
def site(site):
    site.files |= dict.fromkeys(PATHS, TEMPLATE)
    return site


@pytest.fixture
def fetch(tmp_path, monkeypatch, capsys):
    """Return a function that calls `remem data prompts` and returns exit code and output."""

    def call(name, address=None):
        overrides = [f"paths.results={tmp_path}"]
        if name == "released":
            overrides.append(UNPINNED_SUMS)
        for origin in ORIGINS.get(name, ()) if address else ():
            overrides.append(f"{origin}.address={address}")
        monkeypatch.setattr("sys.argv", ["remem", "data", "prompts", name, *overrides])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        said = capsys.readouterr()
        return stop.value.code or 0, said.out + said.err

    return call


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "prompts" / "released"


def test_all_templates_are_fetched_and_their_sums_recorded(site, fetch, folder):
    code, said = fetch("released", site.address)
    assert code == 0
    assert "use these prompts with prompts=released" in said
    assert f"licence: Apache-2.0; from {site.address}" in said
    assert f"licence: MIT; from {site.address}" in said
    assert sorted(path.name for path in folder.iterdir()) == ["SHA256SUMS.local", *NAMES]
    lines = (folder / "SHA256SUMS.local").read_text().splitlines()
    assert lines == [f"{SUM}  {name}" for name in NAMES]


def test_a_second_fetch_asks_for_nothing_and_verifies(site, fetch, folder):
    fetch("released", site.address)
    site.asked.clear()
    assert fetch("released", site.address)[0] == 0
    assert site.asked == []
    (folder / NAMES[0]).write_bytes(b"mine")
    code, said = fetch("released", site.address)
    assert code == 5
    assert f"{folder / NAMES[0]} does not have the expected sha256 ({SUM}" in said
    assert (folder / NAMES[0]).read_bytes() == b"mine"


@pytest.mark.parametrize(
    ("name", "file", "use"),
    [
        ("mem0-judge", "llm_judge.py", "judge=mem0"),
        ("longmemeval-judge", "evaluate_qa.py", "judge=longmemeval_official"),
        ("locomo-plus-judge", "prompt.py", "judge=locomo_plus_official"),
        ("personamem", "inference_standalone_openai.py", "prompts=personamem"),
    ],
)
def test_official_prompts_are_pinned_and_another_file_is_refused(
    site, fetch, tmp_path, name, file, use
):
    site.files[file] = b"template = 'mine'\n"
    code, said = fetch(name, site.address)
    assert code == 5
    assert f"use these prompts with {use}" in said
    assert re.search("expected [0-9a-f]{64}", said)
    assert "licence: " in said
    assert not (tmp_path / "prompts" / name / file).exists()


def test_other_names_are_a_usage_error(fetch):
    code, said = fetch("nosuch")
    assert code == 2
    assert (
        "unknown set of prompts 'nosuch'; choose released, mem0-judge, beam-judge, "
        "longmemeval-judge, locomo-plus-judge or personamem" in said
    )


def test_every_address_is_pinned_to_a_commit():
    parts = [compose_config([f"{group}={option}"])[group] for group, option in SOURCES.values()]
    origins = {name: one for part in parts for name, one in part.source.origins.items()}
    for name, origin in origins.items():
        pinned = r"https://raw\.githubusercontent\.com/.*/[0-9a-f]{40}(/.*)?"
        assert re.fullmatch(pinned, origin.address), name
