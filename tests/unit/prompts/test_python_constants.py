"""Constants are read out of a file as data: nothing in it runs."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.prompts.python_constants import read_constant, read_fstring, read_items


def read(text: str, name: str = "wanted") -> object:
    return read_constant(text.encode(), "asked.py", name)


def test_texts_may_be_added_and_named() -> None:
    assert read("rule = 'Be '\nwanted = rule + ('brief' + '.')") == "Be brief."


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
        ('part = f"{1}"\nwanted = [\n  {"role": part}]', r"line 1, holds an f-string"),
        ("wanted = {**{}}", r"asked\.py holds a piece of code"),
        ("wanted = later\nlater = 'x'", r"the name 'later', to which no text is assigned above it"),
        ("wanted = 'a'\nwanted = 'b'", r"must assign 'wanted' exactly once"),
        ("wanted = 'cut off", r"asked\.py, line 1, is not Python"),
        ("wanted = " + "[" * 5000, r"is not Python|too deeply"),
        (r"wanted = 'a\ud83d'", r"asked\.py, line 1, holds a piece of code"),
    ],
)
def test_what_is_no_plain_constant_is_refused_with_file_and_line(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        read(text)


@given(st.text(st.characters(codec="utf-8")))
def test_any_text_comes_back_as_it_was(text: str) -> None:
    assert read(f"wanted = {text!r}") == text


IN_A_METHOD = """
class Chooser:
    def ask(self, goal):
        shown = ""
        if self.show:
            shown = "As in {{1}}."
        self.form = "Q: {q}"
        return shown
"""


def test_a_dotted_name_leads_into_classes_methods_and_dicts() -> None:
    assert read(IN_A_METHOD, "Chooser.ask.shown") == "As in {{1}}."
    assert read(IN_A_METHOD, "Chooser.ask.form") == "Q: {q}"
    assert read("wanted = {'a': {'b': 'c', 'd': None}}", "wanted.a.b") == "c"


IN_BRANCHES = """
def prompt(kind):
    if kind == 'a':
        text = "One {}"
    elif kind == 'b':
        text = "Two {}"
    else:
        if kind:
            text = {'long': "Three {}"}
        print(text)
    return text
text = "outside"
"""


def test_one_of_several_assignments_is_named_by_its_place_and_their_number() -> None:
    found = [read(IN_BRANCHES, f"prompt.text[{place}/3]") for place in (1, 2, 3)]
    assert found == ["One {}", "Two {}", {"long": "Three {}"}]
    assert read(IN_BRANCHES, "prompt.text[3/3].long") == "Three {}"


@pytest.mark.parametrize(
    ("text", "name", "complaint"),
    [
        (IN_BRANCHES, "prompt.text[1/2]", r"asked\.py has 3 assignments to 'text', .* exactly 2"),
        (IN_BRANCHES, "prompt.text[4/3]", r"exactly 3, .* number 4 for 'prompt\.text"),
        (IN_BRANCHES, "prompt.text", r"must assign 'prompt\.text' exactly once"),
        (IN_BRANCHES.replace("print(text)", "text += '!'"), "prompt.text[1/3]", r"has 4"),
        (IN_BRANCHES.replace("text =", "text = other ="), "prompt.text[1/3]", r"0 have the form"),
    ],
)
def test_another_number_or_kind_of_assignments_is_refused(
    text: str, name: str, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        read(text, name)


@pytest.mark.parametrize(
    ("text", "name", "complaint"),
    [
        ("wanted = 'a'", "wanted", r"asked\.py, line 1, holds a piece of code \(Constant\)"),
        ("wanted = f'{a!r}'", "wanted", r"asked\.py, line 1, has a format such as"),
        (
            "def f():\n    x = f'{a}'\ndef f():\n    x = f'{b}'",
            "f.x",
            r"must assign 'f\.x' exactly once",
        ),
    ],
)
def test_another_shape_than_an_f_string_of_slots_is_refused(
    text: str, name: str, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        read_fstring(text.encode(), "asked.py", name)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("wanted = 'a'", r"line 1, holds a piece of code \(Constant\), expected a list of dicts"),
        ("wanted = ['a']", r"line 1: expected a dict with the key 'q' exactly once"),
        (
            "wanted = [{'q': 'a'},\n  {'p': 'b'}]",
            r"line 2: expected a dict with the key 'q' exactly once",
        ),
    ],
)
def test_another_shape_than_a_list_of_dicts_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        read_items(text.encode(), "asked.py", "wanted", ["q"])


def test_a_key_that_a_dict_does_not_have_is_named() -> None:
    with pytest.raises(
        ValueError, match=r"asked\.py, line 1: expected a dict with the key 'b' exactly once"
    ):
        read("wanted = {'a': 'c'}", "wanted.b")
