"""Instructions before queries: models with instructions embed questions differently.

Their wording is part of the models' protocol: NV-Embed-v2 and the released code use it as in
conf/embedder.
"""

from dataclasses import dataclass

from remem.protocols import QueryTarget


@dataclass(frozen=True, slots=True)
class QueryInstructions:
    """The task of a query per target; `format` contains "{instruction}" and may have more text."""

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
