"""Price lists and prompts of strangers are data: nothing in them runs or reads the environment."""

from pathlib import Path

import pytest

from remem.llm.budget import read_prices
from remem.prompts.chosen import chosen_prompt
from remem.prompts.library import own_library

KEY = "sk-canary-7f3a9b2c"


@pytest.mark.parametrize(
    "content",
    [
        "m: {input: '${oc.env:OPENAI_API_KEY}', output: 1}\n",
        "m: !!python/object/apply:os.system ['touch MARK']\n",
    ],
)
def test_a_hostile_price_list_is_refused_or_read_as_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    mark, file = tmp_path / "was_here", tmp_path / "prices.yaml"
    file.write_text(content.replace("MARK", str(mark)))
    try:
        said = str(read_prices(str(file)))
    except ValueError as error:
        said = str(error)
        assert str(file) in said
    assert KEY not in said and not mark.exists()


@pytest.mark.parametrize(
    "body",
    [
        "{{ cycler.__init__.__globals__.os.environ }}",
        "{% include '/etc/passwd' %}",
        "{{ lipsum.__globals__['os'].popen('touch MARK').read() }}",
        "${oc.env:OPENAI_API_KEY}",
    ],
)
def test_a_hostile_prompt_is_refused_or_stays_text(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, body: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    mark, file = tmp_path / "was_here", tmp_path / "mine.txt"
    file.write_text(f"=== user ===\n{body.replace('MARK', str(mark))}\n")
    try:
        said = str(chosen_prompt(own_library(), str(file)).render())
    except ValueError as error:
        said = str(error)
    assert KEY not in said and "root:" not in said and not mark.exists()
