"""The requests of prompts=released in place of our prompts; the words of the files are ours."""

import hashlib
import json

import pytest

from baselines.hipporag2_openie import LLMFilter
from remem.benchmarks.files.fetched_prompts import FetchedLibrary
from remem.benchmarks.files.notes import UNPINNED
from remem.config.instantiation import instantiate_checked
from remem.config.run_config import compose_config, run_config
from remem.prompts.library import own_library
from remem.protocols import ChatMessage

OURS = {path.stem for path in own_library().folder.glob("*.txt")}
NOT_RELEASED = {
    *("judge.v1", "temporal_class.v1"),
    *("reader_short.v1", "reader_sentence.v1", "judge_likelihood.v1"),
    *("reader_choice.v1", "reader_choice_small.v1", "judge_cue.v1"),
    *("beam_rubric.v1", "beam_event.v1", "longmemeval_judge.v1"),
}
"""Mem0's judge is fetched separately, and the classifier of questions was not released.

The paper has no small model, no reader that answers in a sentence, no multiple choice, and no
benchmark beyond its four.
"""


@pytest.fixture
def configure(tmp_path, released):
    def make(*overrides):
        asked = ["prompts=released", released.unpinned, f"paths.results={tmp_path}", *overrides]
        return run_config(compose_config(asked))

    return make


@pytest.fixture
def library(configure):
    def make():
        build = configure().resolved["prompts"]["build"]
        return FetchedLibrary(**{key: value for key, value in build.items() if key != "_target_"})

    return make


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def texts(messages):
    return [(message.role, message.content) for message in messages]


def test_every_prompt_of_a_method_or_a_reader_has_a_released_one(released, library):
    released.lay_down()
    made = library()
    assert set(made.recipes) == OURS - NOT_RELEASED
    assert all(made.load(name).library == "released" for name in made.recipes)


def test_extraction_and_reading_send_our_values_alone(released, library):
    released.lay_down()
    values = {"passage": "P", "gists": [], "question": "Q", "evidence": "E"}
    made = library()
    named = [name for name in made.recipes if "extraction" in name or "direct" in name]
    shown = {name: made.load(name).render(**values)[-1].content for name in named}
    assert len(shown) == 5
    assert set(shown.values()) == {"P", "Question: Q\n\nE"}


def test_the_planner_is_asked_with_the_f_strings_of_the_released_code(released, library):
    released.lay_down()
    prompt = library().load("planner.v1")
    assert prompt.sha256 == sha(released.texts["tool_selector.py"])
    values = {"question": "Who {x}?", "tools": "- find()", "native": False, "calls_left": 3}
    system, user = prompt.render(steps="", **values)
    assert system == ChatMessage(
        "system",
        'Choose one tool.\nReply: {\n  "function": "its name"\n}\n\n'
        'Shown once: {{"function": "output_answer"}}',
    )
    assert user.content == "\n\nAsked: Who {x}?\n\nOn offer:\n- find()\n\nSteps so far: none"
    later = prompt.render(steps="Step 1\nCall: find {}", **values)[1]
    assert later.content.endswith("\n\nSteps so far:\nStep 1\nCall: find {}")


def test_the_reply_of_the_released_planner_has_the_released_keys(
    released, configure, scripted_model
):
    released.lay_down()
    model = "planner.build.chat_model={_target_:scripted_model.Configured,repeat:0}"
    config = configure("planner=llm", "run.packages=[scripted_model]", model)
    scripted_model.SCRIPTS.append(
        lambda request, repeat: json.dumps(
            {"reasoning": "r", "function": "output_answer", "parameters": {"answer": "A"}}
        )
    )
    call = instantiate_checked(config.resolved["planner"]["build"]).next_call(
        "Who?", (), ("output_answer",)
    )
    assert (call.tool, call.arguments, call.thought) == ("output_answer", {"answer": "A"}, "r")
    (request,) = scripted_model.ASKED
    assert list(request.reply_schema["properties"]) == ["reasoning", "function", "parameters"]


def test_tiser_is_asked_with_its_two_constants(released, library):
    released.lay_down()
    prompt = library().load("reader_tiser.v1")
    assert texts(prompt.render(question="Who?", evidence="E {x}", refusal="none")) == [
        ("system", "Think, then write <answer>{so}</answer>."),
        ("user", "Asked: Who?\nKnown: E {x}"),
    ]


def test_entities_and_triples_are_asked_for_with_the_one_shot_of_the_package(released, library):
    released.lay_down()
    shot = '{"named_entities": ["Ida", "Heron"]}\n'
    assert texts(library().load("hipporag2_entities.v1").render(passage="P")) == [
        ("system", "Pick the names."),
        ("user", "Ida sails the Heron."),
        ("assistant", shot),
        ("user", "P"),
    ]
    prompt = library().load("hipporag2_triples.v1")
    assert texts(prompt.render(passage="P {x}", entities='{"named_entities": []}')) == [
        ("system", "Write {triples}.\n"),
        ("user", f"Text:\nIda sails the Heron.\n\n{shot}\n"),
        ("assistant", '{"triples": [["Ida", "sails", "Heron"]]}\n'),
        ("user", 'Text:\nP {x}\n\n{"named_entities": []}\n'),
    ]


def test_a_prompt_of_two_files_is_known_by_both(released, library):
    released.lay_down()
    found = library().load("hipporag2_triples.v1").sha256
    sums = [(file, sha(released.texts[file])) for file in ("ner.py", "triple_extraction.py")]
    assert found == sha("".join(f"{one}  {file}\n" for file, one in sums))
    released.lay_down(ner=released.texts["ner.py"] + "\n")
    assert library().load("hipporag2_triples.v1").sha256 != found


def test_the_fact_filter_shows_every_demonstration_of_the_package(released, library):
    released.lay_down()
    found = library().load("hipporag2_filter.v1").render(question="Who?", facts="F {x}")
    before = "[[ ## question ## ]]\n{}\n[[ ## fact_before_filter ## ]]\n{}".format
    kept = '[[ ## fact_after_filter ## ]]\n{"fact": []}'
    assert texts(found) == [
        ("system", "Keep what helps: {fact}."),
        ("user", before("Who sails?", '{"fact": [["a", "b", "c"]]}')),
        ("assistant", kept),
        ("user", before("Who rows {it}?", '{"fact": []}')),
        ("assistant", kept),
        ("user", before("Who?", "F {x}")),
    ]


def test_a_filter_that_replies_in_sections_is_not_held_to_json(released, library, scripted_model):
    released.lay_down()
    model = scripted_model.ScriptedModel(
        '[[ ## fact_before_filter ## ]]\n{"fact": [["a", "b", "c"], ["d", "e", "f"]]}\n'
        '[[ ## fact_after_filter ## ]]\n{"fact": [["d", "e", "f"]]}\n[[ ## completed ## ]]'
    )
    made = LLMFilter(
        chat_model=model, prompts=library(), prompt="hipporag2_filter.v1", as_json=False
    )
    assert made.keep("Who?", [("a", "b", "c"), ("d", "e", "f")])[0] == (1,)
    assert model.asked[0].reply_schema is None


@pytest.mark.parametrize(
    ("file", "old", "new", "name", "complaint"),
    [
        (
            *("tiser", '{temporal_context}"', '"', "reader_tiser.v1"),
            r"tiser\.py has the placeholders \['question'\], expected \['question', 'temporal_con",
        ),
        (
            *("tool_selector", "developer_prompt = f", "other = f", "planner.v1"),
            r"tool_selector\.py must assign 'ToolSelector\._llm_select_tool_with_params\.dev",
        ),
        (
            *("filter_default_prompt", '"question"', '"asked"', "hipporag2_filter.v1"),
            r"filter_default_prompt\.py, line 6: expected a dict with the key 'question'",
        ),
    ],
)
def test_a_released_file_of_another_shape_is_refused_by_name(
    released, library, file, old, new, name, complaint
):
    released.lay_down(**{file: released.texts[f"{file}.py"].replace(old, new)})
    with pytest.raises(ValueError, match=complaint):
        library().load(name)


def test_a_recipe_that_is_misspelt_names_prompt_and_place(released):
    made = FetchedLibrary(
        name="released",
        folder=str(released.lay_down()),
        sums={},
        recipes={"planner.v1": [{"file": "tiser.py", "constant": "tiser_user", "rôle": "user"}]},
    )
    with pytest.raises(ValueError, match=r"released: the recipe of planner\.v1: 0\.Turn\.r"):
        made.load("planner.v1")


def test_the_sums_of_hipporag_2_are_pinned_and_those_of_remem_are_not():
    source = compose_config(["prompts=released"]).prompts.source
    files = {path.split("/")[-1] for path in source.origins.hipporag2.files}
    assert {name for name, found in source.sums.items() if len(found) == 64} == files
    assert {found for name, found in source.sums.items() if name not in files} == {UNPINNED}
