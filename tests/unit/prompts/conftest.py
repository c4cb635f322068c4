"""The memory of which the example in the planner's prompt tells: five sessions on Priya."""

from functools import partial

import pytest

from remem.embed.hashing import HashingEmbedder
from remem.index.bm25_lexical import Bm25sLexical
from remem.index.numpy_dense import NumpyDense
from remem.memory.planners import ScriptedPlanner
from remem.memory.remem_memory import REMem
from remem.memory.tools import RETRIEVAL_AND_EXPLORATION, ToolRules
from remem.time_scope import TimePoint, TimeScope
from remem.types import Episode, Extraction, Fact, Gist, History, Message


def _day(*parts: int) -> TimeScope:
    return TimeScope(TimePoint(*parts))


def _gist(text: str, time: TimeScope, source: str) -> Gist:
    return Gist("", text, time, "", (source,))


def _concert(band: str, time: TimeScope, said: TimePoint, source: str) -> Fact:
    return Fact("", "Priya", "went to concert of", band, time, "", (source,), said)


SAID = {
    "s1": TimePoint(2022, 1, 24),
    "s2": TimePoint(2022, 3, 14),
    "s3": TimePoint(2022, 5, 8),
    "s4": TimePoint(2022, 7, 2),
    "s5": TimePoint(2022, 9, 19),
}
MEMORY = {
    "s1": Extraction(
        (
            _gist(
                "[24 January 2022] Priya went to a concert of the Tin Owls on Saturday "
                "(22 January 2022).",
                _day(2022, 1, 22),
                "1:1",
            ),
        ),
        (_concert("the Tin Owls", _day(2022, 1, 22), SAID["s1"], "1:1"),),
    ),
    "s2": Extraction(
        (
            _gist(
                "[14 March 2022] Priya moved into a flat in Lyon on Saturday (12 March 2022).",
                _day(2022, 3, 12),
                "2:1",
            ),
            _gist(
                "[14 March 2022] Priya is glad that the boxes are gone.", _day(2022, 3, 14), "2:2"
            ),
        ),
        (
            Fact("", "Priya", "moved to", "Lyon", _day(2022, 3, 12), "", ("2:1",), SAID["s2"]),
            Fact("", "Priya", "is glad to be rid of", "boxes", None, "", ("2:2",), SAID["s2"]),
        ),
    ),
    "s3": Extraction(
        (
            _gist(
                "[8 May 2022] Priya went to a concert of Marrow Lane on Friday (6 May 2022).",
                _day(2022, 5, 6),
                "3:1",
            ),
        ),
        (_concert("Marrow Lane", _day(2022, 5, 6), SAID["s3"], "3:1"),),
    ),
    "s4": Extraction(
        (
            _gist(
                "[2 July 2022] Priya heard Ida Voss play last night (1 July 2022).",
                _day(2022, 7, 1),
                "4:1",
            ),
        ),
        (_concert("Ida Voss", _day(2022, 7, 1), SAID["s4"], "4:1"),),
    ),
    "s5": Extraction(
        (
            _gist(
                "[19 September 2022] Priya saw the Tin Owls again in September 2022.",
                _day(2022, 9),
                "5:1",
            ),
        ),
        (_concert("the Tin Owls", _day(2022, 9), SAID["s5"], "5:1"),),
    ),
}


class Told:
    """Extracts what is already known of each session."""

    def extract(self, episode: Episode) -> Extraction:
        return MEMORY[episode.id]


@pytest.fixture(scope="session")
def memory() -> REMem:
    """Return that memory; its tools show two gists and two facts."""
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
    episodes = (Episode(name, (Message(f"{name}:1", "Priya", "..."),)) for name in MEMORY)
    made.index(History("priya", tuple(episodes)))
    return made
