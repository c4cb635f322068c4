"""A command with failures ends with the first reason, how often it occurred, and what to do."""

from remem.results.run_notes import LONGEST_REASON, describe_failures


def test_the_first_reason_how_often_and_the_other_reasons_are_counted() -> None:
    down = "ModelUnavailableError: nothing answers at http://127.0.0.1:8000/v1"
    failures = [down, "ValueError: no\nyear", down, "KeyError: 'gist'"]
    assert describe_failures(failures, 20, "question", "Fix this.") == (
        "4 of 20 questions failed. The first reason, 2 times; other reasons: 2:\n"
        "  nothing answers at http://127.0.0.1:8000/v1\n"
        "Fix this."
    )


def test_the_name_of_an_error_of_someone_elses_code_is_part_and_a_whole_reply_is_cut() -> None:
    assert describe_failures(["KeyError:\n 'gist'"], None, "verdict", "Fix this.") == (
        "1 verdict failed. The first reason, once:\n  KeyError: 'gist'\nFix this."
    )
    told = describe_failures(["x" * 10_000], 1, "question", "Fix this.").splitlines()
    assert told[1] == f"  {'x' * LONGEST_REASON} ..."
