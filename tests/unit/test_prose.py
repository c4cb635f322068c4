"""The prose checks find what the rules name, and do not report code and good sentences."""

import prose
import pytest

BAD = {
    "Recall is computed from the golds.": "gold answers",
    "The reader is told the evidence.": "gold evidence given",
    "It takes an hour on two processors.": "CPU",
    "A record is no message.": 'is not a ..."',
    "On the other half, the model alone.": "only",
    "Write a reader of your own.": "before the noun",
    "It reads the file; the file stays as it was.": "end the sentence",
    "The reader has F1 25.7.": "scores ...",
    "It was made for the\n  the tests.": "once",
}


@pytest.mark.parametrize("sentence", BAD)
def test_a_bad_sentence_is_found_with_its_line_and_what_to_write(sentence: str) -> None:
    (finding,) = prose.findings("docs/page.md", f"# A page\n\n{sentence}\n")
    assert finding.startswith("docs/page.md:3: '")
    assert BAD[sentence] in finding


@pytest.mark.parametrize(
    "text",
    [
        "There is no message. The reader scores 25.7 in F1, and no longer refuses.",
        "Set `golds; processors` in [the page](of-its-own;alone.md).",
        "```\nremem run; echo processors\n```",
        "| F1 | exact match; 12 of 24 |",
    ],
)
def test_good_sentences_code_links_and_cells_are_left_alone(text: str) -> None:
    assert not list(prose.findings("docs/page.md", text))


def test_comments_docstrings_and_messages_of_code_are_checked_and_names_are_not() -> None:
    module = '"""Count processors."""\n\nprocessors = "processors"  # a fast processor\n'
    found = list(prose.findings("remem/module.py", module))
    assert [finding.split(": ")[0] for finding in found] == ["remem/module.py:3"]


def test_a_check_of_proselint_is_on() -> None:
    found = list(prose.findings("docs/page.md", "At this point in time it ends.\n"))
    assert "Redundancy" in found[0]
