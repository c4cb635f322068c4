"""The library from Python: a memory of one's own next to the baselines, then a run of ours."""

import remem


class Latest:
    """Recalls the ten latest messages, whatever is asked."""

    def __init__(self) -> None:
        self._messages: list[remem.Message] = []

    def index(self, history: remem.History) -> None:
        """Keep the messages."""
        self._messages.extend(history.messages())

    def recall(self, query: remem.Query) -> remem.Evidence:
        """Return the latest as passages."""
        return remem.Evidence(passages=tuple(map(remem.message_passage, self._messages[-10:])))


print(remem.evaluate(Latest, "generated_dialogues", "run.limit=5"))

config = remem.configure("dataset=generated_dialogues", "method=remem_s", "run.limit=5")
result = remem.run_experiment(config)  # answers what has no record yet; see result.folder
means = remem.summarise(result.records, config.score_convention()).overall.means
print(f"F1 {means['f1'].mean:.3f}; recall@10 {means['recall_at_10'].mean:.3f}; {result.folder}")
