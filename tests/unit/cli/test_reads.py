"""How often a verb opens the records of a run, which may be large."""

import json
import subprocess
import sys

from remem.run.run_result import RunResult
from remem.run.store import RECORDS

COUNTING = """
import json, sys
opened = []
sys.addaudithook(lambda event, args: event == "open" and opened.append(str(args[0])))
from remem.cli.main import app
counts = []
for words in json.loads(sys.argv[2]):
    opened.clear()
    app(words, standalone_mode=False)
    counts.append(opened.count(sys.argv[1]))
print()
print(json.dumps(counts))
"""


def test_score_and_compare_read_the_records_of_each_run_once(run: RunResult) -> None:
    folder = str(run.folder)
    commands = [
        ["score", folder, "--set", "paper"],
        ["score", folder, "--set", "paper", "--set", "strict"],
        ["compare", folder, folder, "--score", "tot_em"],
    ]
    # In another process, because an audit hook cannot be removed.
    command = (sys.executable, "-c", COUNTING, run.folder / RECORDS, json.dumps(commands))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [1, 1, 2]  # compare has the same run twice
