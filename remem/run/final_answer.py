"""Choose the final answer: the reader's, or the planner's if it proposes one."""

from dataclasses import dataclass

from remem.config.run_config import RunConfig
from remem.metrics.tokens import estimated_tokens
from remem.protocols import Reader
from remem.readers.rendering import evidence_texts
from remem.types import Answer, Evidence, Query


@dataclass(frozen=True, slots=True)
class ProposedFirst:
    """Returns the answer that the planner proposed; asks the reader if there is none."""

    reader: Reader

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Return the proposed answer, or the reader's if none was proposed."""
        if evidence.proposed_answer is None:
            return self.reader.read(query, evidence)
        tokens = estimated_tokens("\n".join(evidence_texts(evidence)))
        return Answer(evidence.proposed_answer, context_tokens=tokens)


def final_reader(config: RunConfig) -> Reader:
    """Build the reader of a run; it prefers proposed answers if the convention says so."""
    reader = config.build_reader()
    return ProposedFirst(reader) if config.final_answer == "proposed" else reader
