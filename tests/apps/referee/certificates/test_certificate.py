"""What a certificate says of a bundle, and which certificates are refused."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.apps.referee.certificates.certificate import (
    Certificate,
    CertifiedTable,
    certificate_bytes,
    read_certificate,
)
from remem.apps.referee.certificates.certificate_text import (
    checked_facts,
    outcome_text,
    run_facts,
    unchecked_facts,
)
from remem.apps.referee.certificates.certified_scores import own_convention
from remem.apps.referee.certificates.certify import certify
from remem.bundle.rivals import RivalCode
from remem.bundle.tables import NotCompared
from remem.errors import VerificationFailedError
from remem.reports.html import table_files
from remem.results.conventions import score_sets
from remem.run.progress import no_view
from remem.run.store import read_manifest, read_records

Rewrite = Callable[..., Path]


@pytest.fixture(scope="module")
def certificate(packed: Path, tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return made(packed, tmp_path_factory.mktemp("certified"))


def made(bundle: Path, folder: Path) -> Certificate:
    return certify(bundle, folder / "data", folder / "results", no_view, files=table_files)


def test_it_says_what_was_run_on_which_data_and_by_which_code(
    certificate: Certificate, run_folder: Path
) -> None:
    (run,), manifest = certificate.runs, read_manifest(run_folder)
    assert (run.method, run.dataset, run.reader) == (
        "REMem-I (scripted)",
        "generated_dialogues",
        "extractive",
    )
    assert (run.asked, run.answered, run.replayed) == (10, 10, True)
    assert run.data == manifest.data
    assert run.ran_on.commits == manifest.commits
    assert (run.started, run.finished) == (manifest.started[0], manifest.finished)
    assert run.fingerprint == manifest.fingerprint
    assert run.index_bytes is not None and run.index_bytes > 0


def test_its_scores_are_those_of_the_run_under_each_named_convention(
    certificate: Certificate, packed: Path
) -> None:
    (run,) = certificate.runs
    assert [way.convention for way in run.scorings] == ["paper", "reference", "strict"]
    assert run.own_convention == "paper"
    with ZipFile(packed) as archive:
        scores = json.loads(archive.read("runs/1/scores.json"))["overall"]
    first = run.scorings[0].scores[0]
    assert (first.name, first.judge, first.share, first.better) == ("f1", "", True, "higher")
    assert [first.mean, first.low, first.high] == pytest.approx(
        [scores["f1"][name] for name in ("mean", "low", "high")], abs=1e-6
    )
    assert len(first.values) == len(run.questions) == 10
    assert sum(value or 0 for value in first.values) / 10 == pytest.approx(first.mean, abs=1e-5)


def test_the_verdicts_of_a_judge_are_a_score_of_their_own(certificate: Certificate) -> None:
    (run,) = certificate.runs
    (judge,) = run.judges
    assert (judge.file, judge.verdicts) == ("judgments.mine.jsonl", 10)
    verdicts = run.scorings[0].score("judgments.mine.jsonl")
    assert verdicts is not None
    assert verdicts.mean == 0.5  # every second verdict of the fixture is "correct"
    assert sorted(verdicts.values) == [0.0] * 5 + [1.0] * 5
    assert run.scorings[0].score("judgments.other.jsonl") is None


def test_it_lists_what_a_replay_cannot_check(certificate: Certificate, run_folder: Path) -> None:
    said = " ".join(unchecked_facts(certificate))
    assert "The seconds are those that the bundle states" in said
    assert "No judge was asked: the 10 verdicts" in said
    assert "No model was asked" not in said  # no model has answered this run
    asked = read_manifest(run_folder).questions
    assert f"only 10 of {asked} questions were asked" in said
    assert "1 of 1 run was answered again" in " ".join(checked_facts(certificate))


def test_a_fact_of_many_runs_is_said_once(certificate: Certificate) -> None:
    (run,) = certificate.runs
    runs = tuple(replace(run, label=f"R{number}") for number in range(12))
    about = [fact for fact in unchecked_facts(replace(certificate, runs=runs)) if "only 10" in fact]
    (fact,) = about
    assert fact.startswith("R0 and 11 other runs: only 10 of ")
    about = [
        fact for fact in unchecked_facts(replace(certificate, runs=runs[:2])) if "only 10" in fact
    ]
    assert about[0].startswith("R0, R1: only 10 of ")


def test_it_says_that_a_run_of_the_stub_is_no_result(certificate: Certificate) -> None:
    (run,) = certificate.runs
    (partial,) = run_facts(run)
    assert list(run_facts(replace(run, llm="loopback-stub"))) == [
        "llm=loopback-stub is not a model, so the scores are not a result",
        partial,
    ]


def test_it_says_whose_code_built_a_memory_or_which_package_is_missing(
    certificate: Certificate,
) -> None:
    (run,) = certificate.runs
    rival = RivalCode("graphiti-core", "0.31.1", "environment")
    assert outcome_text(replace(run, rival=rival)) == (
        "same result, with its memory built again through graphiti-core 0.31.1, in its own "
        "environment"
    )
    missing = replace(run, replayed=False, missing="mem0")
    assert outcome_text(missing) == (
        "memory not built again, scores match the records as they were packed: mem0 is not "
        "installed here"
    )
    unnamed = replace(missing, missing="", with_records=True)
    assert outcome_text(unnamed) == (
        "memory not built again, the same records as they were packed: a package that it needs is "
        "not "
        "installed here"
    )


def test_a_table_that_was_not_compared_is_named_with_its_reason(certificate: Certificate) -> None:
    tables = (
        CertifiedTable("offline", 3, None),
        CertifiedTable("temporal", 4, NotCompared("cells", 2)),
    )
    changed = replace(certificate, tables=tables)
    assert list(checked_facts(changed))[-1] == (
        "3 files of tables came out the same, byte for byte: offline."
    )
    assert list(unchecked_facts(changed))[-1] == (
        "temporal: the same except for 2 cells whose run is missing here"
    )


def test_the_same_bundle_gives_the_same_bytes(
    certificate: Certificate, packed: Path, tmp_path: Path
) -> None:
    assert certificate_bytes(made(packed, tmp_path)) == certificate_bytes(certificate)


def test_it_holds_no_text_of_a_question_or_an_answer(
    certificate: Certificate, run_folder: Path
) -> None:
    content = certificate_bytes(certificate).decode()
    for record in read_records(run_folder):
        assert record.question not in content
        assert len(record.answer) < 20 or record.answer not in content


def test_a_bundle_that_does_not_replay_gets_none(rewrite: Rewrite, tmp_path: Path) -> None:
    with pytest.raises(VerificationFailedError):
        made(rewrite({"runs/1/questions.jsonl": b""}), tmp_path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda content: b"{}", "is not a certificate: format is missing"),
        (lambda content: b"", "is not a certificate: the file is empty"),
        (lambda content: content.replace(b"ate-2", b"ate-1"), "of an earlier version of remem"),
        (lambda content: content[:50], r"is not complete, valid JSON \(50 bytes\)"),
        (lambda content: b"\xff", "is not a certificate"),
        (lambda content: content + b" ", "was changed since"),
        (lambda content: content.replace(b'"mean":', b'"mean": '), "was changed since"),
        (lambda content: content.replace(b'"asked":10', b'"asked":-1'), "asked is -1"),
        (
            lambda content: content.replace(b'"clusters":["', b'"clusters":["a","'),
            "repeats a question",
        ),
    ],
    ids=["empty", "no bytes", "earlier", "cut", "bytes", "longer", "spaces", "negative", "lengths"],
)
def test_another_file_is_refused_with_its_reason(
    certificate: Certificate,
    tmp_path: Path,
    change: Callable[[bytes], bytes],
    said: str,
) -> None:
    path = tmp_path / "one.certificate.json"
    path.write_bytes(change(certificate_bytes(certificate)))
    with pytest.raises(VerificationFailedError, match=said):
        read_certificate(path)


def test_a_question_that_is_listed_twice_is_refused(
    certificate: Certificate, tmp_path: Path
) -> None:
    (run,) = certificate.runs
    twice = replace(run, questions=(run.questions[1], *run.questions[1:]))
    path = tmp_path / "one.certificate.json"
    path.write_bytes(certificate_bytes(replace(certificate, runs=(twice,))))
    with pytest.raises(VerificationFailedError, match="value of each score for each of its 10"):
        read_certificate(path)


def test_a_changed_convention_is_named_by_its_changes() -> None:
    named = score_sets([])
    changed = replace(named["paper"], f1="mem0", resamples=99)
    assert own_convention(named["paper"], "paper", named) == "paper"
    assert own_convention(changed, "paper", named) == "paper,f1=mem0,resamples=99"


@given(
    start=st.integers(0, 10**6),
    length=st.integers(0, 40),
    put=st.one_of(
        st.binary(max_size=40),
        st.sampled_from(
            [b"NaN", b"1e999", b"null", b'"\\ud800"', b"[" * 3000, b"-0.0", b"1" * 400]
        ),
    ),
)
def test_a_changed_certificate_is_refused_and_nothing_else_happens(
    certificate: Certificate,
    tmp_path_factory: pytest.TempPathFactory,
    start: int,
    length: int,
    put: bytes,
) -> None:
    content = certificate_bytes(certificate)
    start %= len(content)
    changed = content[:start] + put + content[start + length :]
    path = tmp_path_factory.getbasetemp() / "changed.certificate.json"
    path.write_bytes(changed)
    try:
        found, whole = read_certificate(path)
    except VerificationFailedError:
        return
    assert whole == changed == certificate_bytes(found)
