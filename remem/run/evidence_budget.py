"""Cut the evidence of every memory to the same number of tokens (`run.evidence_tokens`).

The best-ranked items are kept, each in full, until the text shown to the reader reaches the limit.
Of a memory that does not rank its items, such as the full history, the first items are kept.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import compress
from sys import maxsize

from remem.metrics.tokens import estimated_tokens
from remem.prompts.interaction import Cap, interaction_lines
from remem.readers.direct import interaction_history
from remem.types import Evidence, Fact, Gist, Passage, Step

Item = Passage | Gist | Fact
WHOLE = Cap(items=maxsize, characters=maxsize)


def ranked_items(evidence: Evidence) -> list[Item]:
    """Return all items, best first, taken in turn from the passages, gists and facts."""
    lists: tuple[Sequence[Item], ...] = (evidence.passages, evidence.gists, evidence.facts)
    ranked = [(rank, item) for items in lists for rank, item in enumerate(items)]
    # A stable sort: the best gist comes before the best fact, then the second of each.
    return [item for _, item in sorted(ranked, key=lambda entry: entry[0])]


def within_budget(
    evidence: Evidence, tokens: int | None, *, with_steps: bool = True
) -> tuple[Evidence, tuple[Item, ...]]:
    """Return the evidence that fits, and the items that were cut.

    If the reader shows the steps of an agent, the steps count too, with their text and their items.
    If not everything fits, each item is shown in only one step. If the text of the steps without
    the items takes more than half of the tokens, all steps are left out.

    Args:
        evidence: What a memory recalled.
        tokens: The maximum, counted by `estimated_tokens`; None cuts nothing.
        with_steps: Whether the reader shows the steps.
    """
    counted = evidence if with_steps else replace(evidence, steps=())
    if tokens is None or _shown_tokens(counted) <= tokens:
        return evidence, ()
    items = ranked_items(evidence)
    whole = counted if _tokens_of_steps(counted) <= tokens / 2 else replace(counted, steps=())
    fitting = bisect_right(
        range(len(items)), tokens, key=lambda last: _shown_tokens(_first(whole, items[: last + 1]))
    )
    kept = _first(whole, items[:fitting])
    if not with_steps:  # they are recorded anyway
        kept = replace(kept, steps=_showing(evidence.steps, items[:fitting]))
    return kept, tuple(items[fitting:])


def _shown_tokens(evidence: Evidence) -> int:
    return estimated_tokens(interaction_history(evidence, WHOLE))


def _tokens_of_steps(evidence: Evidence) -> int:
    """Return the tokens of the thoughts, calls and messages of an agent."""
    steps = _showing(evidence.steps, ())
    return estimated_tokens("\n".join(interaction_lines(steps, WHOLE)))


def _first(evidence: Evidence, kept: Sequence[Item]) -> Evidence:
    """Return the evidence with only the `kept` items, in its lists and in its steps."""
    return replace(
        evidence,
        passages=evidence.passages[: sum(isinstance(item, Passage) for item in kept)],
        gists=evidence.gists[: sum(isinstance(item, Gist) for item in kept)],
        facts=evidence.facts[: sum(isinstance(item, Fact) for item in kept)],
        steps=_showing(evidence.steps, kept),
    )


def _showing(steps: Sequence[Step], kept: Sequence[Item]) -> tuple[Step, ...]:
    """Return the steps with only the `kept` items, each in the first step that shows it."""
    left, shown = {item.id for item in kept}, list[Step]()
    for step in steps:
        seen = step.observation
        is_shown = [item.id in left for items in (seen.gists, seen.facts) for item in items]
        gists = tuple(gist for gist in seen.gists if gist.id in left)
        facts = tuple(fact for fact in seen.facts if fact.id in left)
        scores = tuple(compress(seen.scores, is_shown))
        observation = replace(seen, gists=gists, facts=facts, scores=scores)
        shown.append(replace(step, observation=observation))
        left -= {item.id for items in (gists, facts) for item in items}
    return tuple(shown)
