"""When nothing is sent, and why."""

from pathlib import Path

import pytest

from remem.reports.wandb.client import why_wandb_is_offline


@pytest.mark.parametrize(
    ("variables", "why"),
    [
        ({}, "no WANDB_API_KEY and no login"),
        ({"WANDB_API_KEY": "k"}, ""),
        ({"WANDB_API_KEY": "k", "WANDB_MODE": "offline"}, "as asked"),
        ({"WANDB_MODE": "online"}, ""),
        ({"WANDB_IDENTITY_TOKEN_FILE": "t"}, ""),
    ],
)
def test_without_a_key_or_if_asked_for_nothing_is_sent(
    tmp_path: Path, variables: dict[str, str], why: str
) -> None:
    environment = {"HOME": str(tmp_path), **variables}
    assert why_wandb_is_offline(environment, asked=False) == why
    assert why_wandb_is_offline(environment, asked=True) == "as asked"


@pytest.mark.parametrize("host", ["api.wandb.ai", "api.forge.coreweave.com"])
def test_a_login_counts_for_its_own_server(tmp_path: Path, host: str) -> None:
    (tmp_path / ".netrc").write_text(f"machine {host} login user password p\n")
    (tmp_path / ".netrc").chmod(0o600)
    home = {"HOME": str(tmp_path)}
    assert why_wandb_is_offline(home, asked=False) == ""
    elsewhere = {**home, "WANDB_BASE_URL": "https://wandb.example"}
    assert why_wandb_is_offline(elsewhere, asked=False) != ""
