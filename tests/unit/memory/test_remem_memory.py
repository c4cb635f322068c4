"""REMem as a whole: parts of a history, stored files, ablations, REMem-S and REMem-I."""

import threading

import pytest

from remem.embed.hashing import HashingEmbedder
from remem.errors import EmptyGraphError
from remem.index.bm25_lexical import Bm25sLexical
from remem.index.contextual_ranking import ContextualRanking, Weights
from remem.memory.planners import ScriptedPlanner, SingleStep, SymbolicPlanner
from remem.memory.rules_extractor import RulesExtractor
from remem.memory.tools import RETRIEVAL_AND_EXPLORATION, ToolRules
from remem.time_scope import TimePoint
from remem.types import (
    Episode,
    Evidence,
    Extraction,
    Fact,
    Gist,
    History,
    Message,
    Query,
    ToolCall,
    Usage,
)

ALL_TOOLS = dict.fromkeys(RETRIEVAL_AND_EXPLORATION, True)


def rules(undated_items):
    return ToolRules(undated_items, "gists_and_facts", "episode_and_similar", "any", "all", "error")


@pytest.fixture
def remem(make_remem):
    return make_remem


def session(number, *messages):
    time = TimePoint(2023, 5, number, 600)
    said = (
        Message(f"D{number}:{at}", speaker, text, time)
        for at, (speaker, text) in enumerate(messages)
    )
    return Episode(f"session_{number}", tuple(said))


def statement(number, text):
    return Episode(f"e{number}", (Message(f"F{number}", "", text),))


EPISODES = (
    session(1, ("Ann", "I bought a red boat yesterday."), ("Bob", "A red boat, how nice!")),
    session(2, ("Ann", "My red boat leaks."), ("Bob", "Sell it.")),
    session(3, ("Ann", "I bought a red boat yesterday.")),
    statement(4, "E1 was the R1 of E2 from 1990 to 1995."),
    statement(5, "E11 was the R1 of E2 from 1993 to 1999."),
    statement(6, "E1 was the R2 of E3 from 1992 to 1993."),
    statement(7, "The red boat was built in Norway in 1985."),
)
HISTORY = History("h", EPISODES)
QUESTIONS = tuple(
    Query(f"h/{index}", "h", index, text)
    for index, text in enumerate(
        (
            "Who bought a red boat?",
            "What happened to the boat of Ann?",
            "Which entity was the R1 of E2 in 1991?",
            "unheard-of words only",
        )
    )
)


@pytest.fixture
def indexed(remem):
    def index(*parts, **changes):
        memory = remem(**changes)
        for part in parts or (HISTORY,):
            memory.index(part)
        return memory

    return index


def recalled(memory):
    return [memory.recall(query) for query in QUESTIONS]


class NotingEmbedder(HashingEmbedder):
    """A hashing embedder that records the targets of its queries in order."""

    def __init__(self):
        super().__init__(dimension=128)
        self.targets = []

    def embed_queries(self, texts, target):
        self.targets.append(target)
        return super().embed_queries(texts, target)


def test_gists_are_searched_as_passages_and_facts_as_facts(indexed):
    # An encoder that takes instructions has one for passages and another for facts.
    gists = session(1, ("Ann", "I bought a boat."))
    facts = statement(2, "E1 was the R1 of E2 from 1990 to 1995.")
    for episode, target in ((gists, "passage"), (facts, "fact")):
        embedder = NotingEmbedder()
        indexed(History("h", (episode,)), embedder=embedder, max_steps=1).recall(QUESTIONS[0])
        assert embedder.targets == [target]


def contents(graph):
    contexts = {episode_id: graph.context(episode_id) for episode_id in graph.episodes}
    return list(graph.gists), list(graph.facts), graph.phrases, graph.synonymy_pairs(), contexts


def test_the_graph_of_a_history_has_its_gists_facts_and_synonyms(indexed):
    memory = indexed()
    counts = memory.graph.counts()
    # six gists (five messages, one statement of no template), three facts, E1 E2 E11 E3
    assert (counts.gists, counts.triples, counts.phrases) == (6, 3, 4)
    assert counts.context_edges == 0  # rules give an episode gists or facts, never both
    same = [gist.id for gist in memory.graph.gists if "I bought a red boat" in gist.text]
    assert [(f"g{i + 1}", f"g{j + 1}") for i, j in memory.graph.synonymy_pairs()] == [tuple(same)]


# Artefacts


def test_loading_embeds_nothing_anew(remem, indexed, tmp_path):
    indexed().save(tmp_path)

    class Refuses(HashingEmbedder):
        def embed_documents(self, texts):
            raise AssertionError(f"asked to embed {texts}")

    remem(embedder=Refuses(dimension=128)).load(tmp_path)


@pytest.mark.parametrize(
    "ablation",
    [
        {"use_gists": False},
        {"use_synonymy": False},
        {"top_k": 1, "max_steps": 1, "planner": SingleStep(tool="semantic_retrieve")},
    ],
    ids=lambda ablation: next(iter(ablation)),
)
def test_ablations_share_one_artefact(remem, indexed, tmp_path, ablation):
    indexed(**ablation).save(tmp_path)
    full = remem()
    full.load(tmp_path)
    assert recalled(full) == recalled(indexed())
    indexed().save(tmp_path)
    ablated = remem(**ablation)
    ablated.load(tmp_path)
    assert recalled(ablated) == recalled(indexed(**ablation))


def test_a_memory_that_holds_something_loads_nothing(indexed, tmp_path):
    indexed(History("h", EPISODES[:3])).save(tmp_path)
    memory = indexed(History("h", EPISODES[3:5]))
    before = contents(memory.graph), recalled(memory)
    with pytest.raises(
        ValueError, match=r"already has episodes \(2\); load the index into a new memory"
    ):
        memory.load(tmp_path)
    assert (contents(memory.graph), recalled(memory)) == before


def test_an_extraction_that_fails_adds_nothing(remem, indexed):
    class Breaks:
        broken = True

        def extract(self, episode):
            if self.broken and episode.id == "session_3":
                raise OSError("disk full")
            return RulesExtractor().extract(episode)

    extractor = Breaks()
    memory = remem(extractor=extractor, parallel_episodes=2)
    memory.index(History("h", EPISODES[:1]))
    with pytest.raises(OSError, match="disk full"):
        memory.index(History("h", EPISODES[1:]))
    extractor.broken = False
    memory.index(History("h", EPISODES[1:]))
    whole = indexed()
    assert contents(memory.graph) == contents(whole.graph)
    assert recalled(memory) == recalled(whole)


# REMem-S and REMem-I


@pytest.mark.parametrize("tool", ["semantic_retrieve", "lexical_retrieve"])
def test_remem_s_makes_one_retrieval_with_the_original_question(indexed, tool):
    memory = indexed(planner=SingleStep(tool=tool))
    for query in QUESTIONS:
        evidence = memory.recall(query)
        searches = [step for step in evidence.steps if step.call.tool != "output_answer"]
        assert [step.call for step in searches] == [ToolCall(tool, {"query": query.text})]
        assert evidence.gists == searches[0].observation.gists
        assert evidence.facts == searches[0].observation.facts


@pytest.mark.parametrize("ordering", ["asc", "desc"])
def test_facts_of_the_same_time_keep_the_order_in_which_they_were_added(indexed, ordering):
    lines = [f"E{at} was the R1 of E999 from 1990 to {1991 + at % 2}." for at in range(60)]
    episodes = tuple(statement(at, line) for at, line in enumerate(lines))
    call = ToolCall("find_entity_contexts", {"object": "E999", "ordering": ordering, "limit": 99})
    found = indexed(History("h", episodes)).toolbox().execute(call, QUESTIONS[0].text).facts
    subjects = [int(fact.subject[1:]) for fact in found]
    later_ends_first = [*range(1, 60, 2), *range(0, 60, 2)]
    assert subjects == (list(range(60)) if ordering == "asc" else later_ends_first)


def test_the_synonymy_threshold_decides_what_is_a_synonym(indexed):
    assert len(indexed(synonymy_threshold=-1.0).graph.synonymy_pairs()) == 6 * 5 / 2
    assert indexed(synonymy_threshold=1.1).graph.synonymy_pairs() == []


NO_SEARCH = ALL_TOOLS | {"semantic_retrieve": False, "lexical_retrieve": False}


@pytest.mark.parametrize(
    ("planner", "tools"),
    [
        (ScriptedPlanner(), NO_SEARCH),
        (SymbolicPlanner(), dict.fromkeys(ALL_TOOLS, False)),
    ],
)
def test_a_plan_whose_first_tools_are_all_masked_is_refused(remem, planner, tools):
    with pytest.raises(
        ValueError, match=f"{type(planner).__name__} needs .*would find no evidence"
    ):
        remem(planner=planner, tools=tools)


def test_a_statement_of_a_dated_message_remembers_when_it_was_said(indexed):
    text = "E1 was the R2 of E3 from 1990 to 1995."
    told = Episode("s", (Message("m", "", text, TimePoint(2023, 6, 19)),))
    memory = indexed(History("h", (told,)), rules=rules("record_time"))
    assert memory.graph.facts[0].record_time == TimePoint(2023, 6, 19)
    asked = ToolCall("find_entity_contexts", {"subject": "E1", "start_time": "2023"})
    # it held in 1990, whenever it was said
    assert memory.toolbox().execute(asked, QUESTIONS[0].text).facts == ()


class SaysOnce:
    """Extracts one fact with no time other than the day on which it was said."""

    def extract(self, episode):
        said = TimePoint(2023, 6, 19)
        return Extraction(facts=(Fact("", "Ann", "has", "cat", None, "", ("m",), said),))


def test_a_fact_without_a_time_is_compared_by_when_it_was_said(indexed):
    told = Episode("s", (Message("m", "Ann", "I have a cat."),))
    memory = indexed(History("h", (told,)), rules=rules("record_time"), extractor=SaysOnce())
    asked = [
        ToolCall("find_entity_contexts", {"subject": "Ann", "start_time": year})
        for year in ("2023", "2024")
    ]
    found = [memory.toolbox().execute(call, "Who?").facts for call in asked]
    assert list(map(len, found)) == [1, 0]


@pytest.mark.parametrize(("fact_string", "facts"), [("bars", []), ("released", ["f1"])])
def test_a_fact_is_searched_by_the_text_that_the_convention_names(indexed, fact_string, facts):
    told = Episode("s", (Message("m", "Ann", "I have a cat."),))
    memory = indexed(History("h", (told,)), extractor=SaysOnce(), fact_string=fact_string)
    named = ToolCall("lexical_retrieve", {"query": "record_time"})  # only in the released form
    assert [fact.id for fact in memory.toolbox().execute(named, "Who?").facts] == facts


def test_the_planner_is_shown_the_text_of_the_query_alone(indexed):
    class Notes:
        def next_call(self, query, steps, tools):
            assert query == "Who?"
            return ToolCall("output_answer", {"answer": "Ann"})

    query = Query("h/0", "h", 0, "Who?", prompt="Facts: E1 ...", order=("F4", "F5"))
    evidence = indexed(planner=Notes()).recall(query)
    assert evidence == Evidence(steps=evidence.steps, proposed_answer="Ann")


class Noting:
    """An extractor that makes one gist per episode, may wait for others, and fails on demand."""

    def __init__(self, failing=(), company_seconds=0):
        self.failing = failing
        self.company_seconds = company_seconds
        self.seen = []
        self.at_once = 0
        self.most_at_once = 0
        self._lock = threading.Lock()
        self._company = threading.Event()

    def extract(self, episode):
        with self._lock:
            self.seen.append(episode.id)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            if self.at_once > 1:
                self._company.set()
        self._company.wait(self.company_seconds)  # until another one is at work too
        with self._lock:
            self.at_once -= 1
        if episode.id in self.failing:
            return Extraction(usage=Usage(1, 5, 0), failure=f"nothing usable of {episode.id}")
        source = tuple(message.id for message in episode.messages)
        gist = Gist("", f"gist of {episode.id}", None, "", source)
        return Extraction(gists=(gist,), usage=Usage(2, 10, 4))


def test_episodes_are_extracted_at_once_and_kept_in_their_order(remem):
    extractor = Noting(company_seconds=60)
    memory = remem(extractor=extractor, parallel_episodes=3)
    memory.index(History("h", EPISODES))
    assert [gist.episode_id for gist in memory.graph.gists] == [each.id for each in EPISODES]
    assert 1 < extractor.most_at_once <= 3


def test_messages_may_be_the_unit_that_is_extracted(remem):
    memory = remem(extractor=Noting(), episode_unit="message", parallel_episodes=4)
    memory.index(History("h", EPISODES[:2]))
    ids = [message.id for episode in EPISODES[:2] for message in episode.messages]
    assert [gist.episode_id for gist in memory.graph.gists] == ids
    assert [gist.source for gist in memory.graph.gists] == [(each,) for each in ids]


def test_failed_episodes_and_usage_are_kept_and_saved(remem, tmp_path):
    memory = remem(extractor=Noting(failing=("session_2",)), parallel_episodes=2)
    memory.index(History("h", EPISODES[:2]))
    memory.index(History("h", EPISODES[2:3]))
    memory.save(tmp_path)
    again = remem(extractor=Noting())
    again.load(tmp_path)
    for each in (memory, again):
        assert each.failures == (("session_2", "nothing usable of session_2"),)
        assert each.index_usage == Usage(5, 25, 8)


def test_a_history_that_gave_nothing_is_an_error_that_says_why(remem):
    failing = tuple(each.id for each in EPISODES)
    memory = remem(extractor=Noting(failing=failing), parallel_episodes=2)
    with pytest.raises(EmptyGraphError, match=r"history h: 2 of 2.*nothing usable of session_1"):
        memory.index(History("h", EPISODES[:2]))

    class Nothing:
        def extract(self, episode):
            return Extraction()

    with pytest.raises(EmptyGraphError, match="history h: 0 of 2 episodes failed; check"):
        remem(extractor=Nothing()).index(History("h", EPISODES[:2]))


def contextual(**weights):
    alone = dict.fromkeys(("neighbours", "reach", "reply", "session", "speaker", "semantic"), 0)
    return lambda: ContextualRanking(
        weights=Weights(**(alone | weights)),
        lexical=lambda: Bm25sLexical(k1=1.5, b=0.75, method="lucene"),
    )


CONTEXT_CHAT = History(
    "c",
    (
        session(1, ("Ann", "Which boat did you buy?"), ("Bob", "The red one.")),
        session(2, ("Ann", "It rains."), ("Bob", "Yes.")),
    ),
)


@pytest.mark.parametrize("tool", ["semantic_retrieve", "lexical_retrieve"])
def test_both_tools_rank_gists_in_their_context(remem, tool):
    memory = remem(
        planner=SingleStep(tool=tool), max_steps=1, ranking=contextual(neighbours=0.5, reach=1)
    )
    memory.index(CONTEXT_CHAT)
    found = memory.recall(Query("q", "c", 0, "Who bought a boat?")).gists
    assert [gist.source for gist in found] == [("D1:0",), ("D1:1",)]


def test_in_context_an_item_between_two_hits_is_better_than_the_best_hit(remem):
    memory = remem(
        planner=SingleStep(tool="lexical_retrieve"),
        max_steps=1,
        top_k=1,
        ranking=contextual(neighbours=1.0, reach=1),
    )
    said = ("I sold the boat", "To my cousin", "He likes the boat")
    first = session(1, *(("Ann", text) for text in said))
    memory.index(History("c", (first, session(2, ("Ann", "The boat, my old boat")))))
    # One "boat" scores more than half of two, and message 1 gets that from both of its neighbours.
    (found,) = memory.recall(Query("q", "c", 0, "boat")).gists
    assert found.source == ("D1:1",)


def test_a_loaded_index_ranks_in_context_as_a_built_one(remem, tmp_path):
    ranking = contextual(neighbours=0.5, reach=1, session=0.6, speaker=0.3, semantic=0.5)
    built = remem(ranking=ranking)
    built.index(CONTEXT_CHAT)
    built.save(tmp_path)
    loaded = remem(ranking=ranking)
    loaded.load(tmp_path)
    query = Query("q", "c", 0, "Did Bob buy the boat?")
    assert loaded.recall(query) == built.recall(query)
