"""The runs determine what a dashboard shows."""

from remem.reports.wandb.dashboard import Shown, shown_of
from remem.results.run import Run


def test_a_dataset_is_shown_once_with_its_scores_and_categories(written) -> None:
    run = Run.open(written())
    assert shown_of([run, run]) == [
        Shown("generated_dialogues", ("f1", "bleu1", "em", "recall_at_10"), ("a_b", "c"))
    ]
