"""The library from Python: a run and its scores, without the command line."""

from remem.config.run_config import compose_config, run_config
from remem.metrics.scores import summarise
from remem.run.experiment import run_experiment

config = run_config(
    compose_config(["dataset=generated_dialogues", "method=remem_s", "run.limit=5"])
)
result = run_experiment(config)  # resumes what is there; the records lie in result.folder
scores = summarise(result.records, config.score_convention())
print(f"F1 {scores.overall.f1}; recall@10 {scores.overall.recall_at_10}; {result.folder}")
