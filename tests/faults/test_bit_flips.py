"""Bits flipped in what a finished run has left: the same command changes no score without a word.

`make trust` flips a thousand (scripts/flip_bits.py).
"""

from collections.abc import Callable
from pathlib import Path

from measure.bit_flips import KINDS, flip_bits, shown

EACH = 2


def test_a_flipped_bit_changes_no_score_without_a_word_and_loses_no_whole_record(
    tmp_path: Path, figure: Callable[[str, float], None]
) -> None:
    flips = list(flip_bits(tmp_path, EACH * len(KINDS), seed=1))
    assert not [flip for flip in flips if flip.failed], shown(flips)
    told = {flip.kind for flip in flips if flip.outcome in ("named", "refused")}
    expected = {"records", "manifest", "vectors", "index", "sum of the index", "mapped memory"}
    assert told >= expected, shown(flips)
    figure("faults injected", len(flips))
