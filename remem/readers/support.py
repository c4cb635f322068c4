"""How well a line of evidence supports a question: the share of its content words, by idf."""

import math
from collections.abc import Sequence

from remem.readers.lines import Line, content_stems


def supports(question: str, lines: Sequence[Line], other_speaker_weight: float) -> list[float]:
    """Return the share of the question's content words, weighted by idf, that each line has.

    idf(word) = log(1 + lines / (1 + lines with the word)). The names of speakers do not count.

    Args:
        question: The question.
        lines: The lines that may contain the answer.
        other_speaker_weight: The weight, from 0 to 1, of a line by a speaker other than the
            one that the question names.
    """
    asked = content_stems(question)
    named = asked & {name for line in lines if line.speaker for name in line.names}
    topic = asked - named
    idf = {
        word: math.log(1 + len(lines) / (1 + sum(word in line.stems for line in lines)))
        for word in topic
    }
    # fsum: the order of a set differs from process to process, and ties are decided by it.
    total = math.fsum(idf.values()) or 1.0
    shares = [math.fsum(idf[word] for word in topic & line.stems) / total for line in lines]
    return [
        share if not named or named & line.names else share * other_speaker_weight
        for share, line in zip(shares, lines, strict=True)
    ]
