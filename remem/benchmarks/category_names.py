"""The names of question categories, for data files that have only numbers for them."""

from collections.abc import Mapping

OF_LOCOMO = {
    "1": "multi-hop",
    "2": "when",
    "3": "inference",
    "4": "single-hop",
    "5": "adversarial",
}
CATEGORY_NAMES: Mapping[str, Mapping[str, str]] = {
    "locomo": OF_LOCOMO,
    "generated_dialogues": OF_LOCOMO,
    "realtalk": {"1": "multi-hop", "2": "when", "3": "commonsense"},
}
"""By dataset; "when" is our own name, because the paper rotates its headings for 2, 3 and 4."""


def category_name(dataset: str, category: str) -> str:
    """Return a category with its name; if it has no name, replace its underscores with spaces.

    >>> category_name("locomo", "2"), category_name("test_of_time", "before_after")
    ('2 when', 'before after')
    """
    name = CATEGORY_NAMES.get(dataset, {}).get(category, "")
    return f"{category} {name}" if name else category.replace("_", " ")
