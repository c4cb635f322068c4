import json
import re
from pathlib import Path

import pytest

from remem.benchmarks.files.notes import (
    EXCERPT,
    data_folder,
    datasets_folder,
    licences_of,
    read_notes,
    read_sums,
)
from remem.config.run_config import compose_config

SUM = "a" * 64
COUNTS = {
    "origin": "counted",
    "histories": 1,
    "episodes": 1,
    "messages": 2,
    "questions": 2,
    "categories": {"4": 2},
}


def write_notes(folder, name="toy", *, sources=None, sums=f"{SUM}  toy.json\n", counts=None):
    (folder / name).mkdir(parents=True)
    content = {
        "licence": "CC0",
        "files": {"toy.json": "https://example.org/toy.json"},
        "loadings": {"toy.json": ["dataset=locomo"]},
    }
    (folder / name / "sources.yaml").write_text(json.dumps(content | (sources or {})))
    (folder / name / "SHA256SUMS").write_text(sums)
    (folder / name / "counts.json").write_text(json.dumps(counts or {"toy.json": COUNTS}))
    return folder


def test_the_notes_say_licence_sums_addresses_and_counts(tmp_path):
    [notes] = read_notes(write_notes(tmp_path))
    assert (notes.name, notes.licence, notes.note) == ("toy", "CC0", "")
    assert notes.sums == {"toy.json": SUM}
    assert notes.urls == {"toy.json": "https://example.org/toy.json"}
    [loading] = notes.loadings
    assert (loading.file, loading.overrides) == ("toy.json", ("dataset=locomo",))
    assert (loading.counts.messages, loading.counts.categories) == (2, {"4": 2})


@pytest.mark.parametrize(
    "name",
    ["../toy.json", "/etc/passwd", "a/../b.json", "a//b", "a/.b", ".hidden", "a\\b", "", "C:x"],
)
def test_a_file_name_that_leads_elsewhere_is_refused(tmp_path, name):
    write_notes(tmp_path, sources={"files": {name: "https://example.org/toy.json"}})
    with pytest.raises(ValueError, match="expected a plain name"):
        read_notes(tmp_path)


def test_a_sum_of_a_file_elsewhere_is_refused(tmp_path):
    (tmp_path / "SHA256SUMS").write_text(f"{SUM}  ../../secret\n")
    with pytest.raises(ValueError, match="expected a plain name"):
        read_sums(tmp_path / "SHA256SUMS")


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://example.org/x", "toy.json"])
def test_only_the_web_is_an_address(tmp_path, url):
    write_notes(tmp_path, sources={"files": {"toy.json": url}})
    with pytest.raises(ValueError, match="https://"):
        read_notes(tmp_path)


def test_a_line_that_is_no_sum_is_named(tmp_path):
    (tmp_path / "SHA256SUMS").write_text(f"{SUM}  one.json\nabc  two.json\n")
    with pytest.raises(ValueError, match=r"line 2 of .*SHA256SUMS is 'abc  two\.json'"):
        read_sums(tmp_path / "SHA256SUMS")


def test_sums_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "SHA256SUMS").write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="SHA256SUMS:1 is not UTF-8"):
        read_sums(tmp_path / "SHA256SUMS")


def test_a_file_without_a_sum_is_refused(tmp_path):
    write_notes(tmp_path, sums=f"{SUM}  other.json\n")
    with pytest.raises(ValueError, match=r"SHA256SUMS has no line for toy\.json, named in"):
        read_notes(tmp_path)


@pytest.mark.parametrize(
    "broken",
    [
        {"sources": {"files": None}},
        {"sources": {"loadings": {"other.json": ["dataset=locomo"]}}},
        {"counts": {"toy.json": {"origin": "counted"}}},
    ],
)
def test_incomplete_notes_are_named(tmp_path, broken):
    write_notes(tmp_path, **broken)
    with pytest.raises(ValueError, match=r"toy/sources\.yaml or counts\.json next to it"):
        read_notes(tmp_path)


def test_a_folder_without_notes_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="install remem again"):
        read_notes(tmp_path)


def test_every_shipped_dataset_has_notes_and_every_loading_composes():
    notes = read_notes(datasets_folder())
    folders = {path.name for path in datasets_folder().iterdir() if (path / "README.md").exists()}
    assert {dataset.name for dataset in notes} == folders
    for dataset in notes:
        assert dataset.licence
        assert set(dataset.urls) | {f for f in dataset.sums if EXCERPT.match(f)} == set(
            dataset.sums
        )
        counts = json.loads((datasets_folder() / dataset.name / "counts.json").read_text())
        assert {loading.file for loading in dataset.loadings} | set(dataset.question_lists) == set(
            counts
        )
        for loading in dataset.loadings:
            assert "data" in compose_config(loading.overrides).dataset.build


def test_addresses_on_github_are_pinned_to_a_commit():
    for dataset in read_notes(datasets_folder()):
        for url in dataset.urls.values():
            if "githubusercontent" in url:
                commit = url.split("/")[5]
                assert len(commit) == 40 and set(commit) <= set("0123456789abcdef")


def test_a_readme_fetches_from_github_what_the_command_fetches():
    for dataset in read_notes(datasets_folder()):
        readme = (datasets_folder() / dataset.name / "README.md").read_text(encoding="utf-8")
        for address in re.findall(r"https://raw\.githubusercontent\.com/\S+", readme):
            assert any(url.startswith(address) for url in dataset.urls.values()), address
        for commit in re.findall(r"git checkout (\S+)", readme):
            assert any(f"/{commit}/" in url for url in dataset.urls.values()), commit


def test_the_data_lie_where_the_environment_says(monkeypatch):
    monkeypatch.setenv("REMEM_DATA", "/data/my memory")
    assert data_folder() == Path("/data/my memory")
    monkeypatch.delenv("REMEM_DATA")
    assert data_folder() == Path("datasets")


def test_the_licence_of_what_was_read_is_known():
    (said,) = licences_of(["locomo/locomo10.json", "locomo/other.json"])
    assert said.startswith("locomo: CC BY-NC 4.0")
    assert licences_of(["generated_dialogues", "log.txt"]) == ()
