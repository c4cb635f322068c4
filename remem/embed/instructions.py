"""What stands before a query: models with instructions embed questions unlike documents.

The wording is protocol, not prose: NV-Embed-v2 and the paper's code use it as it is in
conf/embedder.
"""

from dataclasses import dataclass

from remem.protocols import QueryTarget


@dataclass(frozen=True, slots=True)
class QueryInstructions:
    """The task of a query per target; `format` holds "{instruction}" and ends where it starts."""

    passage: str
    fact: str
    format: str

    def __post_init__(self) -> None:
        if "{instruction}" not in self.format:
            raise ValueError(
                f"the format of an instruction is {self.format!r}, expected '{{instruction}}' in it"
            )

    def prefix(self, target: QueryTarget) -> str:
        """Return the prefix of a query."""
        instruction = self.fact if target == "fact" else self.passage
        return self.format.replace("{instruction}", instruction)
