"""The memory that the example in the planner's prompt uses: five sessions about Priya."""

from functools import partial

import pytest

from remem.embed.hashing import HashingEmbedder
from remem.index.bm25_lexical import Bm25sLexical
from remem.index.numpy_dense import NumpyDense
from remem.memory.planners import ScriptedPlanner
from remem.memory.remem_memory import REMem
from remem.memory.tools import RETRIEVAL_AND_EXPLORATION, ToolRules
from remem.temporal.dates import format_point
from remem.time_scope import TimePoint, TimeScope
from remem.types import Episode, Extraction, Fact, Gist, History, Message

SAID = {
    "s1": TimePoint(2022, 1, 24),
    "s2": TimePoint(2022, 3, 14),
    "s3": TimePoint(2022, 5, 8),
    "s4": TimePoint(2022, 7, 2),
    "s5": TimePoint(2022, 9, 19),
}
OWLS = "Priya went to a concert of the Tin Owls on Saturday (22 January 2022)."
LYON = "Priya moved into a flat in Lyon on Saturday (12 March 2022)."
LANE = "Priya went to a concert of Marrow Lane on Friday (6 May 2022)."
VOSS = "Priya heard Ida Voss play last night (1 July 2022)."
OWLS_AGAIN = "Priya saw the Tin Owls again in September 2022."
TOLD = (
    ("s1", OWLS, (2022, 1, 22), "went to concert of", "the Tin Owls"),
    ("s2", LYON, (2022, 3, 12), "moved to", "Lyon"),
    ("s2", "Priya is glad that the boxes are gone.", None, "is glad to be rid of", "boxes"),
    ("s3", LANE, (2022, 5, 6), "went to concert of", "Marrow Lane"),
    ("s4", VOSS, (2022, 7, 1), "went to concert of", "Ida Voss"),
    ("s5", OWLS_AGAIN, (2022, 9), "went to concert of", "the Tin Owls"),
)
"""Of each session a gist, when it happened, and the predicate and object of its fact."""


class Told:
    """Extracts the known gists and facts of each session."""

    def extract(self, episode: Episode) -> Extraction:
        gists, facts, said = [], [], SAID[episode.id]
        told = [row[1:] for row in TOLD if row[0] == episode.id]
        for number, (text, day, predicate, obj) in enumerate(told, start=1):
            time = TimeScope(TimePoint(*day)) if day else None
            source = (f"{episode.id}:{number}",)
            dated = f"[{format_point(said)}] {text}"
            gists.append(Gist("", dated, time or TimeScope(said), "", source))
            facts.append(Fact("", "Priya", predicate, obj, time, "", source, said))
        return Extraction(tuple(gists), tuple(facts))


@pytest.fixture(scope="session")
def memory() -> REMem:
    """The memory of the example; its tools show two gists and two facts."""
    made = REMem(
        extractor=Told(),
        episode_unit="session",
        parallel_episodes=1,
        embedder=HashingEmbedder(dimension=256),
        dense=NumpyDense,
        lexical=partial(Bm25sLexical, k1=1.5, b=0.75, method="lucene"),
        planner=ScriptedPlanner(),
        max_steps=3,
        top_k=2,
        synonymy_threshold=0.8,
        rules=ToolRules(
            "record_time", "gists_and_facts", "episode_and_similar", "any", "all", "error"
        ),
        fact_string="bars",
        use_gists=True,
        use_facts=True,
        use_synonymy=True,
        tools=dict.fromkeys(RETRIEVAL_AND_EXPLORATION, True),
    )
    episodes = (Episode(name, (Message(f"{name}:1", "Priya", "..."),)) for name in SAID)
    made.index(History("priya", tuple(episodes)))
    return made
