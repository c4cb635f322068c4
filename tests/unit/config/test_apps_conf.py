"""The choices in an app's conf are found, composed and listed like those of `conf`."""

from collections import Counter
from pathlib import Path

import pytest

from remem.cli.names import descriptions
from remem.config.compositions import by_hydra, composition
from remem.config.conf_files import conf_choices, conf_folder, conf_folders, conf_groups


@pytest.fixture
def of_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The conf of the only app, with one reader."""
    app = tmp_path / "mine"
    file = app / "conf" / "reader" / "of_app.yaml"
    file.parent.mkdir(parents=True)
    ours = (conf_folder() / "reader" / "extractive.yaml").read_text("utf-8")
    file.write_text(f"#: a reader of an app\n{ours.replace('name: extractive', 'name: of_app')}")
    monkeypatch.setattr("remem.config.conf_files.app_folders", lambda: [tmp_path / "bare", app])
    return app / "conf"


def test_a_choice_of_an_app_is_composed_and_listed_as_any_other(of_app: Path) -> None:
    assert conf_folders() == (conf_folder(), of_app)
    assert by_hydra(["reader=of_app"]).reader.name == "of_app"
    assert composition(["reader=of_app"]).reader == by_hydra(["reader=of_app"]).reader
    names = list(descriptions("reader"))
    assert descriptions("reader")["of_app"] == "a reader of an app"
    assert names == sorted(names)


def test_no_two_files_of_a_group_have_the_same_name() -> None:
    named = Counter((group, path.stem) for group in conf_groups() for path in conf_choices(group))
    assert [choice for choice, times in named.items() if times > 1] == []
