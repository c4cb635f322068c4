"""All generators: a seed always gives the same data, and the checksum is that of their JSON."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from remem.benchmarks.complex_tr.generator import GeneratedComplexTR, generate_complex_tr
from remem.benchmarks.dialogues.generator import GeneratedDialogues, generate_dialogues
from remem.benchmarks.tot.generator import GeneratedToT, generate_tot

ROOT = Path(__file__).parents[3]
LIVES = {"seed": 3, "subjects": 20, "questions_per_level": 10}
TALKS = {"seed": 7, "conversations": 2, "sessions": 20}
TALKS |= {"events_per_session": 4, "questions_per_session": 5}
GRAPHS = {"seed": 3, "graphs_per_cell": 1}
every_generator = pytest.mark.parametrize(
    ("generate", "benchmark", "sizes", "others"),
    [
        (generate_complex_tr, GeneratedComplexTR, LIVES, {"answer_separator": "semicolons"}),
        (generate_dialogues, GeneratedDialogues, TALKS, {"evidence_rule": "paper"}),
        (generate_tot, GeneratedToT, GRAPHS, {"subset": None, "subset_seed": 0}),
    ],
)


@every_generator
def test_the_data_file_is_the_generator_with_the_sum_of_its_canonical_json(
    generate, benchmark, sizes, others
):
    [file] = benchmark(**sizes, **others).files()
    arguments = ", ".join(f"{name}={value}" for name, value in sizes.items())
    assert file.name == f"{generate.__name__.replace('generate', 'generated')}({arguments})"
    records = generate(**sizes)
    canonical = json.dumps(records, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert file.sha256 == hashlib.sha256(canonical.encode()).hexdigest()


@every_generator
def test_a_seed_gives_the_same_records_in_every_process_and_another_seed_others(
    generate, benchmark, sizes, others
):
    program = (
        f"import json, sys; from {generate.__module__} import {generate.__name__} as generate; "
        f"json.dump(generate(**{sizes!r}), sys.stdout)"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "12345", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, check=True
    )
    records = generate(**sizes)
    assert json.loads(done.stdout) == records
    assert generate(**(sizes | {"seed": 9})) != records
