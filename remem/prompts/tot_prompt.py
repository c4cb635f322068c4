"""The form of Test of Time's own prompts."""

import re

PROMPT = re.compile(
    r"\s*Here is a set of temporal facts:\s*\n(?P<facts>.*?)\n\s*"
    r"Answer the following question[^\n]*\n\s*Question:\s*(?P<question>.*)",
    re.DOTALL,
)
