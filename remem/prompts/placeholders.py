"""Find and fill placeholders in other projects' prompts: `${name}`, `{name}`, `{}`, `<name>`.

The released templates are written for string.Template, Mem0's judge for str.format, LongMemEval's
for str.format without names, and BEAM's for str.replace. No placeholder runs code. A text that is
declared plain has no placeholders, whatever characters it contains.
"""

import re
from collections.abc import Mapping
from string import Formatter, Template
from typing import Literal

Syntax = Literal["plain", "dollar", "braces", "blanks", "angles"]
ANGLED = re.compile(r"<([a-z][a-z_]*)>")


def placeholders(text: str, syntax: Syntax) -> frozenset[str]:
    """Return the names of the placeholders; those without a name are named 1, 2, 3 and so on.

    >>> sorted(placeholders("{question} or {answer}?", "braces"))
    ['answer', 'question']

    Raises:
        ValueError: A placeholder is not a plain name.
    """
    if syntax == "plain":
        return frozenset()
    if syntax == "dollar":
        template = Template(text)
        if not template.is_valid():
            raise ValueError("a $ does not start a placeholder such as ${name}")
        return frozenset(template.get_identifiers())
    if syntax == "angles":
        return frozenset(ANGLED.findall(text))
    fields = [
        (name, form, conversion)
        for _, name, form, conversion in Formatter().parse(text)
        if name is not None
    ]
    for name, form, conversion in fields:
        if form or conversion or not (name == "" if syntax == "blanks" else name.isidentifier()):
            complaint = "is not just {}" if syntax == "blanks" else "has more than a name"
            raise ValueError(f"the placeholder {{{name}...}} {complaint}")
    if syntax == "blanks":
        return frozenset(map(str, range(1, len(fields) + 1)))
    return frozenset(name for name, _, _ in fields)


def substituted(text: str, values: Mapping[str, str], syntax: Syntax) -> str:
    """Replace the placeholders of a text, which `placeholders` must have checked.

    >>> substituted("${question} It is $$5.", {"question": "How much is ${x}?"}, "dollar")
    'How much is ${x}? It is $5.'
    """
    if syntax == "plain":
        return text
    if syntax == "angles":
        return ANGLED.sub(lambda match: values[match[1]], text)
    if syntax == "blanks":
        return text.format(*(values[str(place)] for place in range(1, len(values) + 1)))
    return Template(text).substitute(values) if syntax == "dollar" else text.format_map(values)
