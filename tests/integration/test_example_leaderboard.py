"""`make example-leaderboard`, with two methods: ranked, and a changed bundle is refused."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "example_leaderboard.py"


def test_two_methods_are_ranked_and_a_changed_bundle_is_refused(tmp_path: Path) -> None:
    asked = ["no_memory", "hipporag2", "--out", tmp_path / "here"]
    done = subprocess.run(
        [sys.executable, SCRIPT, *asked], capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith(f"Open {tmp_path / 'here' / 'site' / 'index.html'}\n")
    assert "As it should be: remem: 1 of 3 bundles refused: changed.remem: " in done.stdout
    numbers = json.loads((tmp_path / "here" / "site" / "leaderboard.json").read_bytes())
    assert [each["file"] for each in numbers["refused"]] == ["changed.remem"]
    assert numbers["refused"][0]["reason"].startswith("runs/1/questions.jsonl: its sha256 is not")
    names = {row["system"].partition(" (")[0] for row in numbers["boards"][0]["rows"]}
    assert names == {"No memory", "HippoRAG 2"}
