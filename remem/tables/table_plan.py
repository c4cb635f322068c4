"""Read the plans of tables in `conf/table`: blocks of rows, each given by Hydra overrides."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from remem.config.conf_files import conf_choices, conf_folders
from remem.config.config_dir import LONGEST_SHOWN, granting
from remem.config.suggestions import did_you_mean, either
from remem.errors import UsageError
from remem.files.yaml_text import read_plain_yaml

if TYPE_CHECKING:
    from remem.metrics.columns import ScoreColumn


Kind = TypeVar("Kind")
TEXT = "text; quote it"
EVIDENCE_TOKENS = "run.evidence_tokens="


@dataclass(frozen=True, slots=True)
class RowPlan:
    """A row to run; a row that is `added` is compared with every other row."""

    overrides: tuple[str, ...]
    note: str = ""
    added: bool = False


@dataclass(frozen=True, slots=True)
class BlockPlan:
    """Rows over the same questions; `overrides` apply to each of them.

    With `pairs`, the block has the same rows as the previous block, and each row is compared with
    the same row there. With `budgets`, each row is repeated for each budget of evidence tokens.
    """

    title: str
    overrides: tuple[str, ...]
    columns: "tuple[ScoreColumn, ...]"
    rows: tuple[RowPlan, ...]
    notes: tuple[str, ...]
    pairs: bool = False
    budgets: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TablePlan:
    """The content of `conf/table/<name>.yaml`."""

    name: str
    title: str
    blocks: tuple[BlockPlan, ...]

    @property
    def row_count(self) -> int:
        """Count the rows of all blocks."""
        return sum(len(block.rows) for block in self.blocks)


def table_names(folders: Sequence[Path] = ()) -> list[str]:
    """Return the sorted names of all tables in `conf/table` and in the given folders."""
    return sorted(_table_files(folders))


def read_plan(name: str, folders: Sequence[Path] = (), *, trusted: bool = False) -> TablePlan:
    """Read the plan of a table.

    Args:
        name: The name of the table.
        folders: Further configuration folders with a `table` folder.
        trusted: Whether the command line trusts these folders.

    Raises:
        UsageError: The table is unknown or malformed, or has an override that is not allowed.
    """
    files = _table_files(folders)
    if name not in files:
        raise UsageError(f"unknown table {name!r}; choose {either(sorted(files))}")
    path = files[name]
    try:
        content = read_plain_yaml(path)
    except ValueError as error:
        raise UsageError(str(error)) from error
    _check_keys(str(path), content, {"title", "blocks"})
    headings = _headings(folders)
    blocks = enumerate(_listed(str(path), content, "blocks"), start=1)
    plan = TablePlan(
        name,
        _value(str(path), content, "title", ""),
        tuple(_block_plan(f"{path}, block {at}", block, headings) for at, block in blocks),
    )
    _check_pairs(path, plan.blocks)
    if path.parents[1] not in conf_folders():
        _check_overrides(plan, path, trusted=trusted)
    return plan


def _check_pairs(path: Path, blocks: Sequence[BlockPlan]) -> None:
    for at, block in enumerate(blocks):
        if block.pairs and (at == 0 or len(blocks[at - 1].rows) != len(block.rows)):
            raise UsageError(
                f"{path}, block {at + 1}: 'pairs' compares the rows of this block with those of "
                f"the block above, which must have the same number of rows ({len(block.rows)}); "
                f"remove 'pairs', or add rows"
            )


def with_rows(plan: TablePlan, rows: Sequence[str]) -> TablePlan:
    """Return a plan with only the rows of the named methods, and with added rows.

    Args:
        plan: The plan of the table.
        rows: Names of methods; a name with a leading "+" adds a row to every block.

    Raises:
        UsageError: A method without "+" has no row in the table.
    """
    chosen = {f"method={name}" for name in rows if not name.startswith("+")}
    overrides = {
        override for block in plan.blocks for row in block.rows for override in row.overrides
    }
    for unknown in sorted(chosen - overrides):
        methods = sorted({choice[7:] for choice in overrides if choice.startswith("method=")})
        raise UsageError(
            f"table {plan.name} has no row {unknown}, only {', '.join(methods)}; +{unknown[7:]} "
            f"adds one{did_you_mean(unknown[7:], methods)}"
        )
    added = [RowPlan((f"method={name[1:]}",), added=True) for name in rows if name[:1] == "+"]
    blocks = tuple(
        replace(
            block,
            rows=(
                *(row for row in block.rows if _is_kept(row, chosen)),
                *(at for row in added for at in _at_budgets(row, block.budgets)),
            ),
        )
        for block in plan.blocks
    )
    name = "+".join((plan.name, *(row.removeprefix("+") for row in rows)))
    return replace(plan, name=name, blocks=tuple(block for block in blocks if block.rows))


def _check_overrides(plan: TablePlan, path: Path, *, trusted: bool) -> None:
    from remem.config.untrusted_overrides import check_amount, check_override

    lists = [
        overrides
        for block in plan.blocks
        for overrides in (block.overrides, *(row.overrides for row in block.rows))
    ]
    check_amount(path, lists)
    remedy = granting(path.parents[1])
    for override in chain.from_iterable(lists):
        check_override(path, override, remedy, trusted=trusted)


def _is_kept(row: RowPlan, chosen: set[str]) -> bool:
    return not chosen or bool(chosen & set(row.overrides))


def _headings(folders: Sequence[Path]) -> dict[str, str]:
    """Return the heading of each score by name, including scores of the given folders."""
    from remem.config.settings import score_headings

    files = [path for folder in folders for path in sorted((folder / "score").glob("*.yaml"))]
    try:
        added = {path.stem: read_plain_yaml(path) for path in files}
    except ValueError as error:
        raise UsageError(str(error)) from error
    return score_headings(added)


def _table_files(folders: Sequence[Path]) -> dict[str, Path]:
    added = (path for folder in folders for path in (folder / "table").glob("*.yaml"))
    return {path.stem: path for path in (*conf_choices("table"), *added)}


def _block_plan(place: str, content: Mapping[str, Any], headings: Mapping[str, str]) -> BlockPlan:
    _check_keys(
        place, content, {"title", "overrides", "columns", "rows"}, {"notes", "pairs", "budgets"}
    )
    rows = enumerate(_listed(place, content, "rows"), start=1)
    columns = _listed(place, content, "columns")
    budgets = _budgets(place, content)
    return BlockPlan(
        title=_value(place, content, "title", ""),
        overrides=_texts(place, content, "overrides"),
        columns=tuple(_column(place, column, headings) for column in columns),
        rows=tuple(
            row
            for at, given in rows
            for row in _at_budgets(_row_plan(f"{place}, row {at}", given), budgets)
        ),
        notes=_texts(place, content, "notes"),
        pairs=_value(place, content, "pairs", False, "true or false"),
        budgets=budgets,
    )


def _at_budgets(row: RowPlan, budgets: Sequence[int]) -> Iterator[RowPlan]:
    """Yield a row once for each evidence budget; only the row itself if there are no budgets."""
    for budget in budgets:
        yield replace(row, overrides=(*row.overrides, f"{EVIDENCE_TOKENS}{budget}"))
    if not budgets:
        yield row


def without_budget(row: RowPlan) -> tuple[str, ...]:
    """Return the overrides of a row without its budget."""
    return tuple(word for word in row.overrides if not word.startswith(EVIDENCE_TOKENS))


def _budgets(place: str, content: Mapping[str, Any]) -> tuple[int, ...]:
    budgets = _listed(place, content, "budgets")
    whole = all(isinstance(budget, int) and budget > 0 for budget in budgets)
    if not whole or sorted(set(budgets)) != budgets or len(budgets) == 1:
        raise UsageError(
            f"{place}: budgets is {repr(budgets)[:LONGEST_SHOWN]}, expected two or more whole "
            f"numbers of tokens in ascending order"
        )
    return tuple(budgets)


def _row_plan(place: str, content: Mapping[str, Any]) -> RowPlan:
    _check_keys(place, content, {"overrides"}, {"note"})
    return RowPlan(_texts(place, content, "overrides"), _value(place, content, "note", ""))


def _column(place: str, content: Mapping[str, Any], headings: Mapping[str, str]) -> "ScoreColumn":
    """Return a column; its heading is that of its score unless the plan gives another heading."""
    from remem.metrics.columns import REFUSAL_HEADINGS, ScoreColumn

    _check_keys(f"{place}, a column", content, {"score"}, {"heading", "category"})
    for name in content:
        if name != "category" or content[name] is not None:
            _value(f"{place}, a column", content, name, "")
    try:
        score = content["score"]
        heading = {**headings, **REFUSAL_HEADINGS}.get(score, score)
        column = ScoreColumn(**{"heading": heading, **content})
        column.check(tuple(headings))
        return column
    except ValueError as error:
        raise UsageError(f"{place}, {error}") from error


def _value(
    place: str, content: Mapping[str, Any], key: str, default: Kind, expected: str = TEXT
) -> Kind:
    """Return the value of a key, which must have the type of the default."""
    value = content.get(key, default)
    if not isinstance(value, type(default)):
        raise UsageError(f"{place}: {key} is {repr(value)[:LONGEST_SHOWN]}, expected {expected}")
    return value


def _listed(place: str, content: Mapping[str, Any], key: str) -> list[Any]:
    return _value(place, content, key, [], "a list")


def _texts(place: str, content: Mapping[str, Any], key: str) -> tuple[str, ...]:
    texts = _listed(place, content, key)
    for text in texts:
        if not isinstance(text, str):
            shown = repr(text)[:LONGEST_SHOWN]
            raise UsageError(f"{place}: {key} contains {shown}, expected only text; quote it")
    return tuple(texts)


def _check_keys(
    place: str, content: object, needed: Set[str], optional: Set[str] = frozenset()
) -> None:
    """Check that a mapping has all needed keys, and no others except optional ones.

    Raises:
        UsageError: A key is missing or unknown, or the content is not a mapping.
    """
    if not isinstance(content, dict):
        raise UsageError(
            f"{place}: found {repr(content)[:LONGEST_SHOWN]}, expected a mapping "
            f"with the keys {', '.join(sorted(needed))}"
        )
    missing, unknown = (
        sorted(needed - content.keys()),
        [key for key in content if key not in needed | optional],
    )
    if missing:
        raise UsageError(f"{place}: {missing[0]!r} is missing; add {missing[0]}: ...")
    if unknown:
        keys = sorted(needed | optional)
        raise UsageError(
            f"{place}: unknown key {unknown[0]!r}; choose "
            f"{either(keys)}{did_you_mean(str(unknown[0]), keys)}"
        )
