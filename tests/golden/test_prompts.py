"""Any change of a prompt is noticed here. A prompt in use is not changed, but gets a new version.

Regenerate with: pytest tests/golden --regenerate-golden
"""

from pathlib import Path

import pytest

from remem.prompts.chosen import few_shot_library
from remem.prompts.library import own_library

GOLDEN = Path(__file__).with_name("prompts.sha256")


def test_no_prompt_changes_unseen(pytestconfig: pytest.Config) -> None:
    library = own_library()
    names = sorted(path.stem for path in library.folder.glob("*.txt"))
    sums = "".join(f"{library.load(name).sha256}  {name}\n" for name in names)
    few_shot = few_shot_library().few_shot
    examples = sorted(path.stem for path in few_shot.folder.glob("*.txt"))
    sums += "".join(f"{few_shot.load(name).sha256}  few_shot/{name}\n" for name in examples)
    if pytestconfig.getoption("--regenerate-golden"):
        GOLDEN.write_text(sums, encoding="utf-8")
    assert sums == GOLDEN.read_text(encoding="utf-8"), f"see the head of {Path(__file__).name}"
