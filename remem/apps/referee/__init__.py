"""Runs and claims of others: judge them, in CI or in public."""

from collections.abc import Mapping

VERBS: Mapping[str, Mapping[str, str]] = {
    "referee": {
        "audit": "Score published answers again, and check what was published.",
        "import": "Turn answers that others published into runs.",
        "calibrate": "Show how often judges err, and how each judge would score and rank "
        "the systems.",
        "gate": "Fail if a run is worse than a frozen baseline by a margin, for a memory's own CI.",
        "certify": "Replay a bundle and write its certificate: a page, and JSON to sign.",
        "leaderboard": "Rank the runs of verified bundles, and write the boards as a static site.",
    },
}
