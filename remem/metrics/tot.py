"""Exact match on Test of Time (paper, section Experimental Setup; ToT's own scoring).

Deviation: the released code normalises only some answers; here the answers of every memory and
reader are normalised.
"""

import json


def tot_exact_match(answer: str, label: str) -> float:
    """Return 1 if the normalised answer is exactly the label, else 0.

    >>> tot_exact_match('{"explanation": "by start", "answer": "E9, E33"}', "E9,E33")
    1.0
    """
    return float(normalised_tot_answer(answer) == label.strip())


def normalised_tot_answer(answer: str) -> str:
    """Return an answer, or the value of its JSON key "answer" if it has one, in a label's form.

    Lists are joined by commas, numbers become text, and spaces in lists of entities are removed.

    >>> normalised_tot_answer('{"answer": ["E9", "E33"]}'), normalised_tot_answer(" E9, E33 ")
    ('E9,E33', 'E9,E33')
    """
    text = _as_text(_answer_value(answer)).strip()
    return text.replace(" ", "") if text.startswith("E") and ", " in text else text


def _answer_value(answer: str) -> object:
    try:
        parsed = json.loads(answer)
    except (ValueError, RecursionError):  # not JSON, or a model that only repeats brackets
        return answer
    return parsed["answer"] if isinstance(parsed, dict) and "answer" in parsed else answer


def _as_text(value: object) -> str:
    if isinstance(value, list):
        return ",".join(str(item) for item in value)
    return "" if value is None else str(value)
