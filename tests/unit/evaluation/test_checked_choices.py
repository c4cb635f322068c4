"""A misspelt score or convention is refused before anything is built or asked."""

import re
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import get_args, get_type_hints

import pytest

from remem.cli.hydra_entry import run_one
from remem.config.conf_files import conf_folder
from remem.config.instantiation import UsageError
from remem.config.run_config import compose_config, run_config
from remem.evaluation.checked_choices import RunConvention, check_choices

MISSPELT = (
    ("dataset.scores=[f1,recal_at_10]", "unknown score 'recal_at_10'.*did you mean 'recall_at_10'"),
    ("convention.score.f1=hipporag", "f1 is 'hipporag'"),
    ("convention.run.undated_items=kep", "undated_items is 'kep'"),
    ("convention.run.evidence_rule=papr", "evidence_rule is 'papr'"),
    ("convention.run.full_context_order=oldest", "full_context_order is 'oldest'"),
    ("convention.run.single_step_tool=retrieve", "single_step_tool is 'retrieve'"),
    ("convention.run.final_answer=both", "final_answer is 'both'"),
    ("convention.run.embed_date=nope", "embed_date is 'nope'"),
)


@pytest.mark.parametrize(("override", "message"), MISSPELT)
def test_a_misspelt_choice_is_refused_before_the_first_question(
    tmp_path: Path,
    rehearsed: tuple[str, ...],
    rehearsal: ModuleType,
    override: str,
    message: str,
) -> None:
    where = f"paths.results={tmp_path}"
    with pytest.raises(UsageError, match=message):
        run_one(run_config(compose_config([*rehearsed, where, override])))
    assert rehearsal.ASKED == []
    assert list(tmp_path.iterdir()) == []


def test_a_convention_of_a_part_of_ones_own_is_left_alone() -> None:
    check_choices(run_config(compose_config(["+convention.run.mine=anything"])))


@pytest.mark.parametrize("name", [field.name for field in fields(RunConvention)])
def test_the_known_values_are_those_that_the_conventions_file_lists(name: str) -> None:
    text = (conf_folder() / "convention/paper.yaml").read_text()
    line = next(line for line in text.splitlines() if line.strip().startswith(f"{name}:"))
    known = get_args(get_type_hints(RunConvention)[name])
    if known:  # "key: value # value | value: what it decides"
        listed = re.split(r" \| ", line.partition("# ")[2].partition(":")[0])
        assert set(listed) == set(known)
