"""Which values a command line sweeps, as Hydra reads it."""

from pathlib import Path

import pytest

from remem.config.config_dir import hydra_arguments
from remem.config.run_config import compose_given
from remem.config.swept import Swept, folder_options, has_launcher, swept


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (["-m", "method=a,b", "run.limit=3", "ablation=none,no_gists,no_facts"],
         Swept(("method", "ablation"), 6)),
        (["a.top_k=range(1,5)", "+b=choice(x,y)"], Swept(("a.top_k", "b"), 8)),
        (["list=[a,b]", "text='a,b'", "hydra.sweeper.max_batch_size=1,2"], Swept((), None)),
        (["method=a,b", "hydra/sweeper=optuna"], Swept(("method",), None)),
        (["method=a,b", "not an override", "bad={"], Swept(("method",), 2)),
    ],
)  # fmt: skip
def test_the_keys_with_several_values_and_the_number_of_jobs(
    arguments: list[str], found: Swept
) -> None:
    assert swept(arguments) == found


def test_hydras_own_launcher_runs_jobs_one_after_the_other() -> None:
    for launcher, is_other in (("joblib", True), ("basic", False)):
        assert has_launcher(["method=a,b", f"hydra/launcher={launcher}"]) is is_other


def test_the_folders_of_a_command_line_are_searched_outside_of_an_application(
    tmp_path: Path,
) -> None:
    (tmp_path / "it's mine" / "ablation").mkdir(parents=True)
    (tmp_path / "it's mine" / "ablation" / "mine.yaml").write_text("name: mine\ngists: true\n")
    folder = str(tmp_path / "it's mine")
    for option in (
        ["--config-dir", folder],
        [f"--config-dir={folder}"],
        ["--trust-config", folder],
    ):
        options = folder_options(["-m", "ablation=mine,none", *option])
        assert options == option
        config = compose_given([*hydra_arguments(options), "ablation=mine"])
        assert config.ablation.name == "mine"
    assert hydra_arguments([]) == []
