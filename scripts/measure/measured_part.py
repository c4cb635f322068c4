"""A measured part of the benchmark as a JSON file, with its lines and the machine."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from measure.line import MeasuredLine, MemoryGrowth


@dataclass(frozen=True, slots=True)
class MeasuredPart:
    """The lines of a part, with the date, the machine and the duration."""

    name: str
    quick: bool
    date: str
    seconds: int
    machine: Mapping[str, Any]
    lines: Sequence[MeasuredLine]
    growth: Sequence[MemoryGrowth]

    @classmethod
    def of(
        cls,
        name: str,
        machine: Mapping[str, Any],
        seconds: int,
        lines: Sequence[MeasuredLine],
        growth: Sequence[MemoryGrowth],
        *,
        quick: bool,
    ) -> "MeasuredPart":
        """Return a part with the current date."""
        date = datetime.now(UTC).date().isoformat()
        return cls(name, quick, date, seconds, machine, lines, growth)


def write_part(part: MeasuredPart, folder: Path) -> None:
    """Write a part, with ratios and verdicts, to <name>.json; a quick one to <name>.quick.json."""
    content = asdict(part)
    for fields, line in zip(content["lines"], part.lines, strict=True):
        fields |= {"ratio": line.ratio, "holds": line.holds}
    for fields, growth in zip(content["growth"], part.growth, strict=True):
        fields["exponent"] = growth.exponent
    text = json.dumps(content, indent=2)
    name = f"{part.name}.quick" if part.quick else part.name
    (folder / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")


def read_parts(folder: Path) -> Iterator[MeasuredPart]:
    """Return the parts in a folder, sorted by name."""
    adapter = TypeAdapter(MeasuredPart)
    for path in sorted(folder.glob("*.json")):
        try:
            yield adapter.validate_json(path.read_bytes())
        except ValueError as error:
            raise ValueError(f"{path} is no part of the benchmark; remove it ({error})") from error
