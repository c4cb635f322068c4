"""The extras come from the installed metadata, with the packages that are missing or too old."""

from importlib.metadata import version
from pathlib import Path

import pytest

from remem.benchmarks.files.notes import datasets_folder
from remem.cli.doctor_checks import examine
from remem.config.extras import all_extras, launcher_extras

METADATA = """\
Metadata-Version: 2.4
Name: remem
Version: 9
Requires-Dist: numpy
Provides-Extra: there
Requires-Dist: numpy>=1; extra == "there"
Requires-Dist: pytest; extra == "there"
Provides-Extra: old
Requires-Dist: pytest<1; extra == "old"
Provides-Extra: elsewhere
Requires-Dist: nosuch; sys_platform == "nosuch" and extra == "elsewhere"
Provides-Extra: cluster
Requires-Dist: hydra-fleet-launcher>=1.2; extra == "cluster"
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a remem with other extras first on the path."""
    folder = tmp_path / "remem-9.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(METADATA)
    monkeypatch.syspath_prepend(tmp_path)


def test_each_extra_of_the_metadata_says_what_it_lacks_here(installed: None) -> None:
    old = f"pytest<1 ({version('pytest')} is installed)"
    assert {extra.name: extra.missing for extra in all_extras()} == {
        "there": (),
        "old": (old,),
        "elsewhere": (),
        "cluster": ("hydra-fleet-launcher",),
    }


def test_a_launcher_is_of_the_extra_that_requires_it(installed: None) -> None:
    ((launcher, extra),) = launcher_extras().items()
    assert (launcher, extra.install) == ("fleet", "pip install '.[cluster]'")


def test_doctor_lists_every_extra_with_the_command_that_installs_it(installed: None) -> None:
    found = {item.what: item for item in examine((), datasets_folder())}
    extras = {what: one for what, one in found.items() if what.startswith("extra ")}
    assert list(extras) == ["extra there", "extra old", "extra elsewhere", "extra cluster"]
    assert extras["extra there"].state == "ok"
    assert extras["extra old"].state == "absent"
    assert extras["extra old"].fix == "pip install '.[old]'"
    assert "not available for" in extras["extra elsewhere"].found
    assert extras["extra cluster"].fix == "pip install '.[cluster]'"


def test_the_extras_of_the_project_bring_its_launchers() -> None:
    extras = {name: extra.name for name, extra in launcher_extras().items()}
    assert extras.items() >= {("joblib", "joblib"), ("submitit", "slurm")}
