"""The page docs/conventions.md names every key and value; its commands and effects are true."""

import csv
import os
import re
from itertools import pairwise
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import pytest
import yaml
from measure.conventions import CASES, FILE, A, B, command, measured

from remem.config.conf_files import conf_folder
from remem.config.run_config import compose_config
from remem.metrics.convention import ScoreConvention
from remem.results.conventions import convention_names, score_sets

PAGE = (Path(__file__).parents[2] / "docs" / "conventions.md").read_text(encoding="utf-8")
BLOCK = PAGE.split("<!-- conventions -->")[1].split("<!-- end of conventions -->")[0]
SECTIONS = dict(re.findall(r"^### `([\w.]+)`\n(.*?)(?=^### |\Z)", BLOCK, re.MULTILINE | re.DOTALL))
VALUES = {
    key: dict(re.findall(r"^- `(\w+)`(?: \(([\w, ]+)\))?:", section, re.MULTILINE))
    for key, section in SECTIONS.items()
}
"""The values of each key, with the conventions that choose them."""
COMMANDS = {key: re.search(r"```sh\n(.*)\n```", section)[1] for key, section in SECTIONS.items()}


def keys(name: str) -> dict[str, object]:
    content = yaml.safe_load((conf_folder() / "convention" / f"{name}.yaml").read_text())
    return {
        f"{part}.{key}": value for part in ("run", "score") for key, value in content[part].items()
    }


@pytest.mark.parametrize("name", convention_names())
def test_every_key_of_every_convention_is_on_the_page_and_no_other(name):
    assert set(keys(name)) == set(SECTIONS)


@pytest.mark.parametrize("name", ["paper", "reference", "strict"])
def test_the_page_says_which_value_a_convention_chooses(name):
    default, shown = keys("paper"), "default" if name == "paper" else name
    for key, value in keys(name).items():
        chosen = [value for value, names in VALUES[key].items() if shown in names.split(", ")]
        if str(value).startswith("${"):
            assert chosen == ["released_comma_cut"]  # on LoCoMo
        elif shown == "default" or value != default[key]:
            assert chosen == [str(value).lower()]
        else:
            assert chosen == []


def test_every_name_that_a_score_key_knows_is_on_the_page():
    for key, hint in get_type_hints(ScoreConvention).items():
        if get_origin(hint) is Literal:
            assert sorted(VALUES[f"score.{key}"]) == sorted(get_args(hint))


@pytest.mark.parametrize("key", SECTIONS)
def test_every_command_is_one_that_the_configuration_understands(key):
    verb, *words = COMMANDS[key].split()[1:]
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


with FILE.open(encoding="utf-8", newline="") as file:
    FIGURES = tuple(csv.DictReader(file))


def test_the_file_of_effects_has_a_line_for_each_case() -> None:
    assert [(line["key"], line["value"], line["score"]) for line in FIGURES] == [
        (key, value, score)
        for key, case in CASES.items()
        for score in case.scores.split()
        for value in case.values.split()
    ]


@pytest.mark.parametrize("key", SECTIONS)
def test_an_effect_is_that_of_the_file(key: str) -> None:
    means = [f"{float(line['mean']):.1f}" for line in FIGURES if line["key"] == key]
    assert re.findall(r"[+-]?\d+\.\d+", SECTIONS[key].partition("Effect: ")[2]) == means


NAMES = {
    "bleu1": "BLEU-1",
    "f1": "F1",
    "recall_at_10": "recall@10",
    "refusal_recall": "recall of refusals",
    "tot_em": "exact match",
    "locomo": "on LoCoMo",
    "realtalk": "on REALTALK",
    "generated_tot": "on the generated Test of Time",
}


@pytest.mark.parametrize("key", CASES)
def test_an_effect_names_its_data_and_its_scores(key: str) -> None:
    effect = " ".join(SECTIONS[key].partition("Effect: ")[2].split())
    if key.startswith("run."):
        assert NAMES[CASES[key].run.split()[0].removeprefix("dataset=")] in effect
    else:
        assert effect.startswith({A: ("A,", "A:"), B: "B,"}[CASES[key].run])
    for selector in CASES[key].scores.split():
        score, _, category = selector.partition(":")[0].partition("@")
        assert NAMES[score] in effect
        assert f"category {category}" in effect or not category
    if key in {"score.resamples", "score.seed"}:
        assert {*CASES[key].values.split()} <= {*re.findall(r"[\w-]+", effect)}


def test_the_commands_of_the_folders_are_understood() -> None:
    commands = re.findall(r"^\| `[ABC]` \| `remem run (.*)` \|$", PAGE, re.MULTILINE)
    assert len(commands) == 3
    for words in commands:
        compose_config(words.split())


@pytest.mark.parametrize("key", CASES)
def test_the_command_of_a_row_is_the_one_that_was_measured(key: str) -> None:
    last = CASES[key].values.split()[-1]
    if key.startswith("run."):
        assert COMMANDS[key] == f"remem {command(key, last)}"
    else:
        folder = {A: "A", B: "B"}[CASES[key].run]
        assert COMMANDS[key].startswith(f"remem score {folder}")
        assert f"| `{folder}` | `remem {command(key)}` |" in PAGE


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.skipif("REMEM_DATA" not in os.environ, reason="REMEM_DATA is not set")
def test_some_effects_are_measured_again(tmp_path: Path) -> None:
    for key in ("run.evidence_rule", "score.refusal_gold", "score.bleu", "score.resamples"):
        again = [tuple(line.values()) for line in FIGURES if line["key"] == key]
        assert list(measured(key, str(tmp_path))) == again
