"""What names a run or an index: the sha256 of its configuration, its data and its prompts."""

import hashlib
import json
from collections.abc import Sequence

from remem.prompts.chosen import PromptSum
from remem.protocols import DataFile


def data_sums(files: Sequence[DataFile]) -> list[list[str]]:
    """Return names and sums of the files, sorted."""
    return sorted([file.name, file.sha256] for file in files)


def prompt_sums(prompts: Sequence[PromptSum]) -> dict[str, list[str]]:
    """Return the texts that are asked with; nothing where no model is, as if there were none."""
    return {"prompts": sorted(one.sha256 for one in prompts)} if prompts else {}


def digest(content: object) -> str:
    """Return the first 12 hex digits of the sha256 of JSON data."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
