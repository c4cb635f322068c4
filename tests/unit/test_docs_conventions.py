"""docs/conventions.md names every key and value, and its commands can be composed."""

from itertools import pairwise
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import pytest
import yaml

from remem.config.conf_files import conf_folder
from remem.config.run_config import compose_config
from remem.metrics.convention import ScoreConvention
from remem.results.conventions import convention_names, score_sets

PAGE = (Path(__file__).parents[2] / "docs" / "conventions.md").read_text(encoding="utf-8")
LINES = PAGE.split("<!-- conventions -->")[1].split("<!-- end of conventions -->")[0].splitlines()
ROWS = {
    cells[0].strip("`"): cells
    for cells in ([cell.strip() for cell in line.strip("|").split("|")] for line in LINES[3:])
    if len(cells) > 1
}


def keys(name: str) -> dict[str, object]:
    content = yaml.safe_load((conf_folder() / "convention" / f"{name}.yaml").read_text())
    return {
        f"{part}.{key}": value for part in ("run", "score") for key, value in content[part].items()
    }


@pytest.mark.parametrize("name", convention_names())
def test_every_key_of_every_convention_is_on_the_page_and_no_other(name):
    assert set(keys(name)) == set(ROWS)


@pytest.mark.parametrize("name", convention_names())
def test_every_value_that_a_convention_chooses_is_on_the_page(name):
    for key, value in keys(name).items():
        if not str(value).startswith("${"):
            assert str(value).lower() in ROWS[key][1].split(", "), key


def test_every_name_that_a_score_key_knows_is_on_the_page():
    for key, hint in get_type_hints(ScoreConvention).items():
        if get_origin(hint) is Literal:
            assert sorted(ROWS[f"score.{key}"][1].split(", ")) == sorted(get_args(hint))


@pytest.mark.parametrize("key", ROWS)
def test_every_command_is_one_that_the_configuration_understands(key):
    verb, *words = ROWS[key][4].strip("`").split()[1:]
    if verb == "run":
        assert f"convention.{key}=" in " ".join(words)
        compose_config(words)
    elif verb == "judge":
        compose_config(words[2:])
        assert f"convention.{key}=" in words[-1]
    else:
        sets = [word for before, word in pairwise(words) if before == "--set"]
        assert score_sets(sets)
        assert not sets or any(item.startswith(key.removeprefix("score.")) for item in sets)
