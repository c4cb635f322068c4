"""A part of `make trust` is run with its settings, and one that fails gives no figures."""

from pathlib import Path

import pytest
from measure.trust import PARTS, Part, measure, parts, read_measured, write_measured

NOTES = """
import os, sys
folder, code, *_ = sys.argv[1:]
assert os.listdir(folder) == []
times = os.environ.get("TIMES_FOR_TEST", "1")
with open(os.environ["REMEM_TRUST_FIGURES"], "a") as file:
    file.write('{"figure": "kills", "value": ' + times + '}\\n' if code != "empty" else "")
sys.exit(0 if code == "empty" else int(code))
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "notes.py"
    path.write_text(NOTES)
    return path


def test_the_settings_hold_for_the_full_pass(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = f"{script} FOLDER 0"
    monkeypatch.setitem(PARTS, "x", Part(command, f"{command} small", {"TIMES_FOR_TEST": "10"}))
    full, quick = measure("x", quick=False), measure("x", quick=True)
    assert (full.figures, quick.figures) == ({"kills": 10}, {"kills": 1})
    assert full.command == f"TIMES_FOR_TEST=10 python {script} FOLDER 0"
    assert (full.quick, quick.quick) == (False, True)
    write_measured(tmp_path / "figures.json", {"x": full})
    assert read_measured(tmp_path / "figures.json") == {"x": full}


@pytest.mark.parametrize("code", ["3", "empty"])
def test_a_part_that_fails_or_measures_nothing_is_told(
    script: Path, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PARTS, "x", Part(f"{script} FOLDER {code}", None))
    with pytest.raises(ValueError, match="nothing of it is written"):
        measure("x", quick=True)


def test_a_quick_pass_leaves_out_what_has_no_quick_form() -> None:
    assert parts([], quick=False) == list(PARTS)
    assert parts([], quick=True) == [name for name in PARTS if name != "bundle"]
    assert parts(["bundle"], quick=True) == ["bundle"]
