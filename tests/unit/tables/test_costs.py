"""The table columns with the costs of runs."""

from remem.metrics.intervals import Percentiles
from remem.results.costs import Cost, RunCosts
from remem.tables.notes import BlockCosts, RowCosts, costs_csv

FOUND = Percentiles(1.0, 2.0, 3.0, 4, 6.0)


def cost(name: str, unit: str) -> Cost:
    return Cost(name, unit, "question", FOUND)


def test_a_block_has_every_column_of_its_rows_in_one_order() -> None:
    free = RowCosts("BM25", RunCosts((cost("recall", "ms"), cost("evidence", "tokens, est."))))
    paid = RowCosts("Mem0", RunCosts((cost("dollars", "$"), cost("tokens", "tokens"))))
    block = BlockCosts("LoCoMo", (free, paid))
    assert [column.name for column in block.columns] == ["recall", "tokens", "evidence", "dollars"]
    lines = costs_csv([block]).splitlines()
    assert lines[0] == "block,method,measure,unit,each,p50,p95,p99,n,total"
    assert lines[1] == "LoCoMo,BM25,recall,ms,question,1,2,3,4,6"
    assert len(lines) == 5
