"""Prices: the paper's dollars from its token counts, and lists that are missing or wrong."""

from pathlib import Path

import pytest

from remem.llm.budget import Price, read_price, read_prices
from remem.types import Usage

LIST = "2026-11-21"


@pytest.mark.parametrize(
    ("millions_in", "millions_out", "dollars"),
    [
        (1.19, 0.17, 0.75),  # NV-Embed-v2: inference alone
        (0.90 + 18.10, 0.72 + 0.79, 10.02),  # REMem-I: indexing and inference
        (0.90 + 1.83, 0.72 + 0.18, 2.53),  # REMem-S
    ],
)
def test_the_tokens_of_the_paper_cost_its_dollars(
    millions_in: float, millions_out: float, dollars: float
) -> None:
    usage = Usage(1986, round(millions_in * 1e6), round(millions_out * 1e6))
    price = read_price(LIST, "gpt-4.1-mini-2025-04-14")
    assert round(price.dollars(usage), 2) == dollars


def test_every_price_has_a_source_and_a_date() -> None:
    prices = read_prices(LIST)
    assert {"gpt-4.1-mini-2025-04-14", "gpt-5-chat", "gpt-5-chat-latest"} <= set(prices)
    assert all(price.source and len(price.date) == 10 for price in prices.values())
    assert not prices["gpt-5-chat"].verified


def test_a_list_of_ones_own_is_read_from_its_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("local:\n  input: 0\n  output: 2.5\n")
    assert read_price(str(path), "local") == Price(0.0, 2.5)


def test_an_unknown_model_names_those_that_are_known() -> None:
    with pytest.raises(ValueError, match=r"no price for 'gpt-9', only for gpt-4\.1-mini"):
        read_price(LIST, "gpt-9")


def test_an_unknown_list_names_those_that_there_are() -> None:
    with pytest.raises(FileNotFoundError, match=r"1999\.yaml; choose one of .*2026-11-21"):
        read_prices("1999")


def test_a_list_that_is_none_is_named_with_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("local:\n  input: cheap\n  output: 1\n")
    with pytest.raises(ValueError, match=r"mine\.yaml: local\.input: .*number"):
        read_prices(str(path))
