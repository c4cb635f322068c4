"""Basic operations, each compared with the simplest way to do the same."""

from collections.abc import Iterator

from measure.context_edges import measure_edges
from measure.importing import measure_imports, measure_starts
from measure.lexical_peers import measure_lexical
from measure.line import MeasuredLine, MemoryGrowth
from measure.scoring_speed import measure_scoring
from measure.similar_pairs import measure_pairs
from measure.time_masks import measure_masks

LOCOMO_GISTS = 730
"""Number of gists of a LoCoMo graph in the paper."""
LOCOMO_QUESTIONS = 1_986


def measure(*, quick: bool) -> Iterator[MeasuredLine | MemoryGrowth]:
    """Measure everything; a quick run uses a tenth of the sizes."""
    sizes = (3_000, 10_000) if quick else (10_000, 30_000, 100_000)
    yield from measure_imports(5)
    yield from measure_starts(5 if quick else 15)
    yield from measure_masks(sizes, 5 if quick else 15)
    yield from measure_pairs((1_000, 4_000) if quick else (5_000, 10_000, 20_000, 100_000), 3)
    yield from measure_edges((LOCOMO_GISTS, *sizes), 5)
    yield from measure_lexical(sizes, 12 if quick else 20)
    yield from measure_scoring(
        (2_000,) if quick else (2_000, 6_514), LOCOMO_QUESTIONS, 1 if quick else 3
    )
