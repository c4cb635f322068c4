"""Prompts of others from a server of our own: whole, cut, changed, gone, out of reach."""

import hashlib
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from rich.console import Console

from remem.benchmarks.files.fetched_prompts import SOURCES, fetch_prompts
from remem.cli import main as cli
from remem.config.run_config import compose_config
from remem.errors import WrongFileError

TEMPLATE = (
    b'wanted = "Be brief."\nprompt_template = [{"role": "user", "content": "${prompt_user}"}]\n'
)
SUM = hashlib.sha256(TEMPLATE).hexdigest()
SOURCE = compose_config(["prompts=released"]).prompts.source
PATHS = sorted(file for origin in SOURCE.origins.values() for file in origin.files)
NAMES = sorted(file.rpartition("/")[2] for file in PATHS)
FIRST = next(file for file in PATHS if file.rpartition("/")[2] == NAMES[0])
ORIGINS = {
    "released": [f"prompts.source.origins.{name}" for name in SOURCE.origins],
    "mem0-judge": ["judge.source.origins.mem0"],
    "beam-judge": ["judge.source.origins.beam"],
    "longmemeval-judge": ["judge.source.origins.longmemeval"],
    "locomo-plus-judge": ["judge.source.origins.locomo_plus"],
    "personamem": ["prompts.source.origins.personamem"],
}
UNPINNED_SUMS = "prompts.source.sums={" + ", ".join(f"{item}: UNPINNED" for item in NAMES) + "}"


class Handler(BaseHTTPRequestHandler):
    files: dict
    asked: list
    cut: list

    def do_GET(self):
        self.asked.append(self.path)
        content = self.files.get(self.path.lstrip("/"))
        if content is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: self.cut.pop()] if self.cut else content)

    def log_message(self, *args):
        pass


@pytest.fixture
def site(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    files = dict.fromkeys(PATHS, TEMPLATE) | {"llm_judge.py": b"ACCURACY_PROMPT = 'mine'\n"}
    own = type("Own", (Handler,), {"files": files, "asked": [], "cut": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), own)
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.01))
    thread.start()
    own.address = f"http://127.0.0.1:{server.server_address[1]}"
    yield own
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def fetch(tmp_path, monkeypatch, capsys):
    """Call `remem data prompts` and return its exit code and what it said."""

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
    assert f"{folder / NAMES[0]} has another sha256 than {SUM}" in said
    assert (folder / NAMES[0]).read_bytes() == b"mine"


def test_a_file_that_is_another_one_the_second_time_is_kept_aside(site, fetch, folder):
    fetch("released", site.address)
    (folder / NAMES[0]).unlink()
    site.files[FIRST] = b"changed"
    code, said = fetch("released", site.address)
    assert code == 5
    assert "it is kept" in said
    assert not (folder / NAMES[0]).exists()


def test_a_judge_prompt_that_is_not_the_pinned_one_is_refused(site, fetch, tmp_path):
    code, said = fetch("mem0-judge", site.address)
    assert code == 5
    assert "expected ac2e242f6ea0b817ba1b229ff9e5271f6846b7b8a9aefa8a5a5a81ea58df3b3c" in said
    assert not (tmp_path / "prompts" / "mem0-judge" / "llm_judge.py").exists()


@pytest.mark.parametrize(
    ("name", "file", "pinned", "use"),
    [
        (
            "longmemeval-judge",
            "evaluate_qa.py",
            "ecce9c4c79dc89d99534ac17b383a5cbb5b9f0c69ee98adaf0684742e3d95251",
            "judge=longmemeval_official",
        ),
        (
            "locomo-plus-judge",
            "prompt.py",
            "e43e3ee7115a30938e727fe0eab16694186c08e3f9619f9d8dd5e603d96fc2b1",
            "judge=locomo_plus_official",
        ),
        (
            "personamem",
            "inference_standalone_openai.py",
            "16e3597488cb8b501f011bdb40b5ad79a73116c7a446241485a91579efa196fb",
            "prompts=personamem",
        ),
    ],
)
def test_official_prompts_are_pinned_and_another_file_is_refused(
    site, fetch, tmp_path, name, file, pinned, use
):
    site.files[file] = b"template = 'mine'\n"
    code, said = fetch(name, site.address)
    assert code == 5
    assert f"use these prompts with {use}" in said
    assert f"expected {pinned}" in said
    assert "licence: " in said
    assert not (tmp_path / "prompts" / name / file).exists()


def test_a_download_that_is_cut_is_tried_again_and_at_last_given_up(site, fetch, folder):
    site.cut[:] = [7]
    assert fetch("released", site.address)[0] == 0
    (folder / NAMES[0]).unlink()
    site.cut[:] = [7, 7, 7]
    code, said = fetch("released", site.address)
    assert code == 1
    assert "was interrupted 3 times" in said
    assert not (folder / NAMES[0]).exists()


def test_what_cannot_be_reached_is_said_with_what_to_do_by_hand(fetch, folder, monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    address = "http://127.0.0.1:1"  # a reserved port: nobody listens
    code, said = fetch("released", address)
    assert code == 1
    assert "127.0.0.1:1 cannot be reached" in said
    assert f"store {address}/{FIRST} as {folder / NAMES[0]}" in said


def test_files_put_there_by_hand_are_recorded(fetch, folder):
    folder.mkdir(parents=True)
    for name in NAMES:
        (folder / name).write_bytes(TEMPLATE)
    assert fetch("released")[0] == 0
    assert (folder / "SHA256SUMS.local").read_text().count(SUM) == len(NAMES)


def test_other_names_are_a_usage_error(fetch):
    code, said = fetch("nosuch")
    assert code == 2
    assert (
        "unknown set of prompts 'nosuch'; choose released, mem0-judge, beam-judge, "
        "longmemeval-judge, locomo-plus-judge or personamem" in said
    )


def test_a_file_of_hipporag_2_that_is_not_the_pinned_one_is_refused(site, folder):
    with pytest.raises(WrongFileError, match=r"expected 975f38b8889debce67c0c579be850c6a8fba95e4"):
        fetch_prompts(
            "released",
            [f"paths.results={folder.parent.parent}"]
            + [f"{origin}.address={site.address}" for origin in ORIGINS["released"]],
            Console(),
        )
    assert not (folder / "ner.py").exists()


def test_every_address_is_pinned_to_a_commit():
    parts = [compose_config([f"{group}={option}"])[group] for group, option in SOURCES.values()]
    origins = {name: one for part in parts for name, one in part.source.origins.items()}
    commits = {
        name: re.findall("/([0-9a-f]{40})(?:/|$)", one.address) for name, one in origins.items()
    }
    fork = "c381bf445960c710bbafe932e68b8e110b1549da"
    assert commits == {
        "remem": [fork],
        "planner": [fork],
        "hipporag2": ["c617143f01477243992a63b2e2151cc003dd3b21"],
        "mem0": ["aae5989e78a6188b3b047c104d960c9ad0927e75"],
        "beam": ["b2a3ee8ba12d68f83143dda191097dc3e028ddd3"],
        "longmemeval": ["9e0b455f4ef0e2ab8f2e582289761153549043fc"],
        "locomo_plus": ["059f4e3d38f7f1f96765e8e2cb7de3097551bffb"],
        "personamem": ["041d82ac6170d3e62c8f105d16df357dced48d73"],
    }
    assert all(
        origin.address.startswith("https://raw.githubusercontent.com/")
        for origin in origins.values()
    )
