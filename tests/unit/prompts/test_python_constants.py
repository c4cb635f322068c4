"""Constants are read out of a file as data: nothing in it runs."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.prompts.python_constants import read_constant


def read(text: str, name: str = "wanted") -> object:
    return read_constant(text.encode(), "asked.py", name)


def test_a_text_is_read_however_it_is_written() -> None:
    assert read("wanted = (\"one \"\n          'two')") == "one two"
    assert read('wanted = """one\n\\ttwo"""') == "one\n\ttwo"


def test_messages_may_name_texts_above_them() -> None:
    text = (
        'rule = "Be brief."\n'
        'wanted = [{"role": "system", "content": rule}, {"role": "user", "content": "${x}"}]\n'
    )
    assert read(text) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "${x}"},
    ]


def test_what_surrounds_a_constant_is_never_run(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    text = (
        "import nosuchmodule\n"
        f"open({str(trace)!r}, 'w').write('ran')\n"
        "client = nosuchmodule.Client()\n"
        "wanted = 'Judge.'\n"
        "def main():\n    raise SystemExit\n"
        "main()\n"
    )
    assert read(text) == "Judge."
    assert not trace.exists()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('name = "x"\nwanted = f"Hi {name}"', r"asked\.py, line 2, holds an f-string"),
        ('\n\nwanted = open("/etc/passwd").read()', r"line 3, holds a call"),
        ('wanted = "a" + "b"', r"line 1, holds a piece of code \(BinOp\)"),
        ('wanted = "{}".format(1)', r"line 1, holds a call"),
        ('part = f"{1}"\nwanted = [\n  {"role": part}]', r"line 1, holds an f-string"),
        ("wanted = [1]", r"line 1, holds a piece of code \(Constant\)"),
        ("wanted = [*('a',)]", r"holds a piece of code \(Starred\)"),
        ("wanted = {**{}}", r"asked\.py holds a piece of code"),
        ("wanted = later\nlater = 'x'", r"the name 'later', which no text above it has"),
        ("wanted = wanted", r"the name 'wanted', which no text above"),
        ("wanted = __builtins__", r"the name '__builtins__'"),
        ("wanted = 'a'\nwanted = 'b'", r"assigns no 'wanted', or not exactly once"),
        ("wanted = 'a'\nwanted += 'b'", r"assigns no 'wanted', or not exactly once"),
        ("if True:\n    wanted = 'a'", r"assigns no 'wanted'"),
        ("wanted, other = 'a', 'b'", r"assigns no 'wanted'"),
        ("", r"assigns no 'wanted'"),
        ("wanted = 'cut off", r"asked\.py, line 1, is no Python"),
        ("wanted = " + "[" * 5000, r"is no Python|too deeply"),
        ("wanted = 'a\0'", r"asked\.py.* is no Python"),
        (r"wanted = 'a\ud83d'", r"asked\.py, line 1, holds a piece of code"),
    ],
)
def test_what_is_no_plain_constant_is_refused_with_file_and_line(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        read(text)


@given(st.text(st.characters(codec="utf-8")))
def test_any_text_comes_back_as_it_was(text: str) -> None:
    assert read(f"wanted = {text!r}") == text
