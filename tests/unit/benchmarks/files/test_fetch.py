"""Downloads from our own loopback server: cuts, wrong checksums, errors, no server."""

import hashlib
import io
import json
import socket

import pytest
from rich.console import Console

from remem.benchmarks.files import download
from remem.benchmarks.files.fetch import fetch_sets
from remem.benchmarks.files.notes import read_notes
from remem.cli import main as cli
from remem.errors import FetchError

CONTENT = bytes(range(256)) * 1000
SUM = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def site(site):
    site.files["toy.json"] = CONTENT
    return site


@pytest.fixture
def closed_port(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        yield listener.getsockname()[1]  # bound, but nobody listens


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "data" / "toy"


def get(site, folder, sha256=SUM, name="toy.json"):
    seen = []
    download.download(site.url(name), folder / name, sha256, lambda *now: seen.append(now))
    return seen


def names(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def write_notes(tmp_path, files, name="toy", note=""):
    """Write notes with an address and a sum for each file."""
    folder = tmp_path / "notes" / name
    folder.mkdir(parents=True)
    sources = {"licence": "CC BY 9.9", "note": note, "loadings": {}}
    sources["files"] = {file: url for file, (url, _) in files.items()}
    (folder / "sources.yaml").write_text(json.dumps(sources))
    (folder / "SHA256SUMS").write_text("".join(f"{s}  {f}\n" for f, (_, s) in files.items()))
    (folder / "counts.json").write_text("{}")
    return tmp_path / "notes"


def fetch(tmp_path):
    """Return a function that fetches everything and returns the messages."""
    said = io.StringIO()
    console = Console(file=said, soft_wrap=True)
    fetch_sets(read_notes(tmp_path / "notes"), tmp_path / "data", console)
    return said.getvalue()


def test_a_download_goes_on_after_a_cut(site, folder):
    site.cut_after = [100_000, 50_000]
    assert get(site, folder)[-1] == (len(CONTENT), len(CONTENT))
    assert (folder / "toy.json").read_bytes() == CONTENT
    assert [asked for _, asked in site.asked] == [None, "bytes=100000-", "bytes=150000-"]


def test_a_download_that_always_breaks_off_gives_up_and_the_next_one_goes_on(site, folder):
    site.cut_after = [1000, 1000, 1000]
    with pytest.raises(download.DownloadError, match="was interrupted 3 times"):
        get(site, folder)
    assert names(folder) == ["toy.json.part"]
    get(site, folder)
    assert site.asked[-1] == ("/toy.json", "bytes=3000-")
    assert (folder / "toy.json").read_bytes() == CONTENT
    assert names(folder) == ["toy.json"]


def test_a_server_that_ignores_the_range_is_taken_from_the_start(site, folder):
    site.ignores_range = True
    folder.mkdir(parents=True)
    (folder / "toy.json.part").write_bytes(CONTENT[:5000])
    get(site, folder)
    assert site.asked == [("/toy.json", "bytes=5000-")]
    assert (folder / "toy.json").read_bytes() == CONTENT


def test_a_part_that_was_whole_already_only_needs_its_name(site, folder):
    folder.mkdir(parents=True)
    (folder / "toy.json.part").write_bytes(CONTENT)
    assert get(site, folder) == []
    assert (folder / "toy.json").read_bytes() == CONTENT


def test_a_file_of_unknown_length_is_taken_to_its_end(site, folder):
    site.says_length = False
    assert get(site, folder)[-1] == (len(CONTENT), None)
    assert (folder / "toy.json").read_bytes() == CONTENT


def test_without_a_known_sum_every_attempt_begins_at_the_start(site, folder):
    site.cut_after = [100_000]
    get(site, folder, sha256=None)
    assert [asked for _, asked in site.asked] == [None, None]
    assert (folder / "toy.json").read_bytes() == CONTENT


def test_a_wrong_sum_is_kept_aside_and_the_next_download_starts_anew(site, folder):
    site.files["toy.json"] = b"something else"
    with pytest.raises(download.DownloadError, match=f"expected {SUM}; the file is kept"):
        get(site, folder)
    assert names(folder) == ["toy.json.rejected"]
    assert (folder / "toy.json.rejected").read_bytes() == b"something else"
    site.files["toy.json"] = CONTENT
    get(site, folder)
    assert site.asked[-1] == ("/toy.json", None)
    assert (folder / "toy.json").read_bytes() == CONTENT


@pytest.mark.parametrize("says_length", [True, False])
def test_a_file_that_is_too_large_is_refused(site, folder, monkeypatch, says_length):
    monkeypatch.setattr(download, "MAX_BYTES", 70_000)
    site.says_length = says_length
    with pytest.raises(download.DownloadError, match="more than 70000 bytes"):
        get(site, folder)
    assert not (folder / "toy.json").exists()


def test_what_is_lacking_is_fetched_after_the_licence_was_said(site, tmp_path, folder):
    write_notes(tmp_path, {"toy.json": (site.url(), SUM)}, note="not tried")
    assert fetch(tmp_path).splitlines() == [
        f"{folder}: licence: CC BY 9.9; not tried",
        "  toy.json: fetched, checksum as pinned",
    ]
    assert names(folder) == ["toy.json"]


def test_a_second_fetch_asks_for_nothing(site, tmp_path, folder):
    site.files["new.json"] = b"new"
    files = {
        "toy.json": (site.url(), SUM),
        "new.json": (site.url("new.json"), "UNPINNED"),
    }
    write_notes(tmp_path, files)
    fetch(tmp_path)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    asked = len(site.asked)
    assert "toy.json: already there, checksum as pinned" in fetch(tmp_path)
    assert len(site.asked) == asked == 2
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_the_sum_of_an_unpinned_file_is_recorded_and_holds_from_then_on(site, tmp_path, folder):
    write_notes(tmp_path, {"toy.json": (site.url(), "UNPINNED")})
    assert "toy.json: fetched, checksum recorded in SHA256SUMS.local" in fetch(tmp_path)
    assert (folder / "SHA256SUMS.local").read_text() == f"{SUM}  toy.json\n"
    (folder / "toy.json").unlink()
    site.files["toy.json"] = b"another version"
    with pytest.raises(FetchError, match=rf"expected {SUM}.*from SHA256SUMS\.local"):
        fetch(tmp_path)
    assert names(folder) == ["SHA256SUMS.local", "toy.json.rejected"]


def test_an_unpinned_file_put_there_by_hand_is_recorded(site, tmp_path, folder):
    folder.mkdir(parents=True)
    (folder / "toy.json").write_bytes(CONTENT)
    write_notes(tmp_path, {"toy.json": (site.url(), "UNPINNED")})
    assert "already there" in fetch(tmp_path)
    assert (folder / "SHA256SUMS.local").read_text() == f"{SUM}  toy.json\n"
    assert site.asked == []


def test_a_file_that_differs_is_never_overwritten(site, tmp_path, folder):
    folder.mkdir(parents=True)
    (folder / "toy.json").write_bytes(b"mine")
    write_notes(tmp_path, {"toy.json": (site.url(), SUM)})
    with pytest.raises(
        FetchError, match=rf"not have the expected sha256 \({SUM}\): move the file away"
    ):
        fetch(tmp_path)
    assert (folder / "toy.json").read_bytes() == b"mine"
    assert site.asked == []


def test_an_address_that_is_gone_is_said_with_what_to_do_by_hand(site, tmp_path, folder):
    write_notes(tmp_path, {"gone.json": (site.url("gone.json"), SUM)})
    with pytest.raises(FetchError) as error:
        fetch(tmp_path)
    assert str(error.value) == (
        f"{site.url('gone.json')} answered 404 Not Found; to download it by hand, store "
        f"{site.url('gone.json')} as {folder / 'gone.json'} (sha256: {SUM})"
    )
    assert not folder.exists()


def test_a_set_that_fails_does_not_keep_the_others_back(site, tmp_path):
    write_notes(tmp_path, {"gone.json": (site.url("gone.json"), SUM)}, name="a_gone")
    write_notes(tmp_path, {"toy.json": (site.url(), SUM)})
    with pytest.raises(FetchError, match="404"):
        fetch(tmp_path)
    assert names(tmp_path / "data" / "toy") == ["toy.json"]


def test_a_file_that_fails_keeps_no_other_back_and_all_that_failed_are_listed(
    site, tmp_path, folder
):
    folder.mkdir(parents=True)
    (folder / "mine.json").write_bytes(b"mine")
    (folder / "damaged.json.gz").write_bytes(b"\x1f\x8b broken")
    failing = ["gone.json", "mine.json", "damaged.json", "lost.json"]
    files = {name: (site.url(name), SUM) for name in failing}
    write_notes(tmp_path, files | {"toy.json": (site.url(), SUM)})
    said = io.StringIO()
    with pytest.raises(FetchError) as error:
        fetch_sets(read_notes(tmp_path / "notes"), tmp_path / "data", Console(file=said))
    assert (folder / "toy.json").read_bytes() == CONTENT
    assert "toy.json: fetched, checksum as pinned" in said.getvalue()
    assert said.getvalue().count("not fetched, see below") == 4
    lines = str(error.value).splitlines()
    assert len(lines) == 4
    for name, line, advice in zip(
        failing,
        lines,
        ["download it by hand", "move the file away", "gz", "download it by hand"],
        strict=True,
    ):
        assert name in line and advice in line


@pytest.fixture
def remem_fetch(tmp_path, monkeypatch):
    """Return `remem data fetch` as a function that returns its exit code."""
    monkeypatch.setenv("REMEM_DATA", str(tmp_path / "data"))
    monkeypatch.setattr("remem.benchmarks.files.notes.datasets_folder", lambda: tmp_path / "notes")

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["remem", "data", "fetch", *arguments])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        return stop.value.code

    return run


def test_a_host_that_cannot_be_reached_ends_with_1_and_leaves_nothing(
    closed_port, tmp_path, folder, remem_fetch, capsys
):
    url = f"http://127.0.0.1:{closed_port}/toy.json"
    write_notes(tmp_path, {"toy.json": (url, "UNPINNED")})
    assert remem_fetch() == 1
    complaint = capsys.readouterr().err
    assert f"127.0.0.1:{closed_port} cannot be reached" in complaint
    assert f"store {url} as {folder / 'toy.json'}" in complaint
    assert "unknown; the sha256 of the first download is recorded" in complaint
    assert not folder.exists()


@pytest.mark.parametrize("held_back", ["absent", "another file"])
def test_the_exit_code_tells_a_wrong_file_from_a_lacking_one(
    site, tmp_path, folder, remem_fetch, capsys, held_back
):
    files = {
        "gone.json": (site.url("gone.json"), SUM),
        "toy.json": (site.url(), SUM),
    }
    write_notes(tmp_path, files)
    if held_back == "another file":
        site.files["toy.json"] = b"another file"
    assert remem_fetch() == (1 if held_back == "absent" else 5)
    complaint = capsys.readouterr().err
    assert f"store {site.url('gone.json')} as {folder / 'gone.json'}" in complaint
    assert (held_back == "another file") == (f"as {folder / 'toy.json'}" in complaint)


def test_only_the_named_sets_are_fetched(site, tmp_path, remem_fetch, capsys):
    write_notes(tmp_path, {"toy.json": (site.url(), SUM)})
    write_notes(tmp_path, {"toy.json": (site.url(), SUM)}, name="other")
    assert remem_fetch("other") == 0
    assert names(tmp_path / "data") == ["other"]
    assert "toy.json: fetched" in capsys.readouterr().out


def test_a_name_that_leads_out_of_the_folder_is_refused_before_anything_is_asked(
    site, tmp_path, remem_fetch, capsys
):
    write_notes(tmp_path, {"../toy.json": (site.url(), SUM)})
    assert remem_fetch() == 1
    assert "expected a plain name" in capsys.readouterr().err
    assert site.asked == []
    assert not (tmp_path / "data").exists()
