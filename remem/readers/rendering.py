"""Evidence as lines of text, for every reader and for counting its tokens."""

from remem.prompts.interaction import Cap, interaction_lines
from remem.types import Evidence


def evidence_texts(evidence: Evidence) -> tuple[str, ...]:
    """Return the texts of the gists, then of the facts, then of the passages."""
    return (
        *(gist.text for gist in evidence.gists),
        *(fact.text for fact in evidence.facts),
        *(passage.text for passage in evidence.passages),
    )


def interaction_history(evidence: Evidence, cap: Cap) -> str:
    """Return the text shown to a model: the agent's steps and observations, else the evidence.

    Passages are always shown as texts, because steps do not contain them. The result is empty if
    nothing was retrieved, even if the planner proposed an answer.
    """
    texts = evidence_texts(evidence)
    counted = any(step.observation.count is not None for step in evidence.steps)
    if not texts and not counted:
        return ""
    if evidence.passages or not evidence.steps:
        return "\n".join(texts)
    lines = [*interaction_lines(evidence.steps, cap)]
    if evidence.proposed_answer:
        lines.append(f"Proposed answer: {cap.line(evidence.proposed_answer)}")
    return "\n".join(lines)
