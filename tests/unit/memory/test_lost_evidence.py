"""Which step lost a message: the one whose call finds the message after a single change."""

import pytest

from remem.config.run_config import configure
from remem.memory.lost_evidence import lost_by
from remem.memory.remem_memory import REMem
from remem.temporal.dates import parse_point
from remem.types import Episode, History, Message, StepRecord

BORING = ("rain", "bread", "trains", "chess", "frogs", "clouds", "shoes", "paint", "corn", "glass")


@pytest.fixture(scope="module")
def memory() -> REMem:
    """A memory of a kayak in May, and of ten other messages in June with words of the questions."""
    memory = configure("method=remem_s", "dataset=generated_dialogues").memory_factory()()
    assert isinstance(memory, REMem)
    others = [(f"m{at}", f"I talked about {thing} today") for at, thing in enumerate(BORING, 1)]
    said = [
        ("m0", "I bought a kayak at the harbour", "2023-05-01"),
        *((message_id, text, "2023-06-01") for message_id, text in others),
    ]
    messages = [Message(of, "Ann", text, parse_point(date), date) for of, text, date in said]
    memory.index(History("h", tuple(Episode(f"s{each.id}", (each,)) for each in messages)))
    return memory


def step(tool: str = "semantic_retrieve", **arguments: str) -> StepRecord:
    return StepRecord(tool, arguments, "", "", (), None, error=False)


@pytest.mark.parametrize(
    ("steps", "cause"),
    [
        ((step(query="a kayak", start_time="2023-06-01"),), "time condition"),
        ((step(query="talked about today"),), "ranked below top_k"),
        ((step("lexical_retrieve", query="a ship"),), "tool not called"),
        ((step("find_entity_contexts", subject="Bob"),), "words of the planner"),
        ((), "words of the planner"),
    ],
)
def test_the_first_change_that_finds_the_message_names_the_step(
    memory: REMem, steps: tuple[StepRecord, ...], cause: str
) -> None:
    assert lost_by(memory, "Where did Ann buy the kayak?", steps, {"m0"}) == cause


def test_a_message_that_no_change_finds_is_lost_by_the_search(memory: REMem) -> None:
    assert lost_by(memory, "Where did Ann buy the kayak?", (), {"elsewhere"}) == "search"
