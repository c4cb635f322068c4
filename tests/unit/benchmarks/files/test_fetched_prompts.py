"""A run with others' prompts: what is sent, what is reported, and what is refused.

The files are structured like the released ones; their wording is ours.
"""

import hashlib
import json

import pytest

from remem.benchmarks.files.fetched_prompts import FetchedLibrary
from remem.config.run_config import compose_config, run_config
from remem.errors import VerificationFailedError
from remem.prompts.chosen import prompt_origin
from remem.prompts.library import own_library
from remem.protocols import ChatMessage
from remem.results.judging import judge_run
from remem.run.experiment import run_experiment

JUDGE = '''\
import nosuchmodule

client = nosuchmodule.Client()

ACCURACY_PROMPT = """
Say whether two answers agree.
Question: {question}
Known: {gold_answer}
Given: {generated_answer}
One sentence, then the label as JSON.
"""

def ask(question):
    return client.ask(ACCURACY_PROMPT.format(question=question))
'''
MODEL = "{_target_:scripted_model.Configured,repeat:0}"
GISTS = json.dumps({"gists": ["[20 January 2024, 3:57 pm] Ann fixed the gate (19 January 2024)."]})
FACT = {"subject": "Ann", "predicate": "fixed", "object": "the gate"}
TIMES = {"record_time": "20 January 2024, 03:57 PM", "point_in_time": "19 January 2024"}
FACTS = json.dumps({"facts": [FACT | {"qualifiers": TIMES}]})


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def call(request, tool, **arguments):
    """Return a reply with a tool call, under the keys that the request's schema names."""
    keys = request.reply_schema["properties"]
    return json.dumps(dict(zip(keys, ("so", tool, arguments), strict=True)))


@pytest.fixture
def configure(tiny, tmp_path, released):
    def make(*overrides):
        asked = ("method=remem_i", "extractor=llm", "planner=llm", "reader=direct")
        models = (f"{part}.build.chat_model={MODEL}" for part in ("extractor", "planner", "reader"))
        places = ("run.packages=[rehearsal,scripted_model]", f"paths.results={tmp_path}")
        unpinned = [released.unpinned] if "prompts=released" in overrides else []
        chosen = [*tiny, *places, "dataset.style=chat", *asked, *models, *overrides, *unpinned]
        return run_config(compose_config(chosen))

    return make


def script(request, repeat):
    said = request.messages[0].content
    if request.stage == "recall":
        if "Step 1" in request.messages[-1].content:
            return call(request, "output_answer", answer="gate")
        return call(request, "lexical_retrieve", query="gate")
    if request.stage == "index":
        return GISTS if '"gists"' in said else FACTS
    return "Thought: it was Ann.\nAnswer: Ann"


def test_a_run_sends_the_released_templates_and_its_records_say_so(
    configure, scripted_model, released
):
    released.lay_down()
    scripted_model.SCRIPTS.append(script)
    config = configure("prompts=released")
    result = run_experiment(config)
    assert result.errors == 0

    sent = {}
    for request in scripted_model.ASKED:
        sent.setdefault((request.stage, request.messages[0].content.split("\n")[0]), request)
    gists = sent["index", "List the points of a talk."]
    assert gists.messages[0].content.endswith('{"gists": [...]}.\n')  # to the last character
    passage = gists.messages[1].content
    facts = sent["index", "List the links of a talk."]
    gist = json.loads(GISTS)["gists"][0]
    assert facts.messages[1].content == f"{passage}\n\nGists of it so far:\n- {gist}"
    item = facts.reply_schema["properties"]["facts"]["items"]
    assert list(item["properties"]) == ["subject", "predicate", "object", "qualifiers"]
    read = sent["read", "List the reasons of a talk."]
    assert read.messages[1].content.startswith("Question: ")
    assert "Ann fixed the gate" in read.messages[1].content
    assert [key for key in sent if key[0] == "recall"] == [("recall", "Choose one tool.")]

    hashes = sorted(
        f"released:{sha(released.texts[f'{name}.py'])[:12]}"
        for name in (
            "episodic_gist_extraction_locomo",
            "episodic_fact_extraction_locomo",
            "rag_qa_unified",
            "tool_selector",
        )
    )
    assert {record.prompts for record in result.records} == {"+".join(hashes)}
    manifest = json.loads((result.folder / "manifest.json").read_text())
    assert [(one["library"], one["name"]) for one in manifest["prompts"]] == [
        ("released", "episodic_fact_extraction_locomo"),
        ("released", "episodic_gist_extraction_locomo"),
        ("released", "rag_qa_unified"),
        ("released", "tool_selector"),
    ]


def test_other_prompts_are_another_run_and_another_index(configure, released):
    released.lay_down()
    own, theirs = configure(), configure("prompts=released")
    assert prompt_origin(own.prompts) == "own"
    first = theirs.fingerprint([]), theirs.index_fingerprint("h")
    assert first[0] != own.fingerprint([])
    assert first[1] != own.index_fingerprint("h")
    changed = {file.removesuffix(".py"): text + "\n" for file, text in released.texts.items()}
    released.lay_down(**changed)
    assert theirs.fingerprint([]) != first[0]
    assert theirs.index_fingerprint("h") != first[1]


def test_a_file_that_was_never_verified_is_not_used(configure, released):
    folder = released.lay_down()
    (folder / "SHA256SUMS.local").unlink()
    with pytest.raises(
        FileNotFoundError, match=r"downloaded and verified; run `remem data prompts released`"
    ):
        configure("prompts=released").fingerprint([])


def test_a_file_that_has_changed_is_not_used(configure, released):
    folder = released.lay_down()
    (folder / "rag_qa_unified.py").write_text("prompt_template = 'mine'\n")
    with pytest.raises(
        VerificationFailedError, match=rf"expected {sha(released.texts['rag_qa_unified.py'])}"
    ):
        configure("prompts=released").fingerprint([])


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x = 'a'\nprompt_template = f'{x} ${{prompt_user}}'\n", r"line 2, holds an f-string"),
        ("prompt_template = 'none'\n", r"has the placeholders \[\], expected \['prompt_user'\]"),
        ("prompt_template = '$prompt_user for 5 $'\n", r"a \$ does not start a placeholder"),
        (
            "prompt_template = [{'role': 'user'}]\n",
            r"no messages with role and content: 0\.content",
        ),
    ],
)
def test_a_file_of_another_shape_is_refused_by_name(released, text, complaint):
    folder = str(released.lay_down(a=text))
    turn = {"file": "a.py", "constant": "prompt_template", "syntax": "dollar"}
    recipes = {"reader_direct.v1": [{**turn, "slots": {"prompt_user": "{{ question }}"}}]}
    library = FetchedLibrary(name="released", folder=folder, sums={}, recipes=recipes)
    with pytest.raises(ValueError, match=rf"a\.py.*{complaint}"):
        library.load("reader_direct.v1")
    assert library.load("planner.v1") == own_library().load("planner.v1")


@pytest.fixture
def judged(configure, scripted_model, released):
    """A run with an answer to each question, and its judge with Mem0's fetched, pinned prompt."""
    released.lay_down("mem0-judge", llm_judge=JUDGE)
    scripted_model.SCRIPTS.append(script)
    config = configure(
        "judge=mem0",
        f"judge.source.sums={{llm_judge.py: {sha(JUDGE)}}}",
        f"judge.build.chat_model={MODEL}",
    )
    result = run_experiment(config)
    scripted_model.ASKED.clear()

    def judge(said):
        scripted_model.SCRIPTS[:] = [lambda request, repeat: said]
        return config, result, judge_run(config, result.folder, result.records)

    return judge


def test_the_fetched_judge_is_asked_and_each_verdict_says_so(judged, scripted_model):
    config, result, found = judged('They agree.\n```json\n{"label": "CORRECT"}\n```')
    assert set(found.verdicts.values()) == {1.0}
    request = scripted_model.ASKED[0]
    assert [message.role for message in request.messages] == ["user"]
    content = request.messages[0].content
    assert content.startswith("\nSay whether two answers agree.\nQuestion: ")
    assert "\nGiven: Ann\n" in content
    assert config.judge_prompt == f"mem0-judge:{sha(JUDGE)[:12]}"
    lines = (result.folder / config.judgments).read_text().splitlines()
    assert {json.loads(line)["judge_prompt"] for line in lines} == {config.judge_prompt}
    assert {record.prompts for record in result.records} == {"own"}


def test_a_verdict_that_cannot_be_read_is_an_error_and_never_wrong(judged):
    for said in ("CORRECT", '{"label": "perhaps"}', '{"verdict": "CORRECT"}', ""):
        _, result, found = judged(said)
        assert len(found.failures) == len(result.records), said
        assert found.verdicts == {}


def test_an_answer_cannot_open_a_placeholder(judged):
    config, _, _ = judged('{"label": "WRONG"}')
    library = config.build_judges()[0]._prompt
    assert library.render(question="{gold_answer}", gold_answer="G", generated_answer="{{x}}") == (
        ChatMessage(
            "user",
            "\nSay whether two answers agree.\nQuestion: {gold_answer}\nKnown: G\nGiven: {{x}}\n"
            "One sentence, then the label as JSON.\n",
        ),
    )


BEAM = """
unified_llm_judge_base_prompt = '''
Asked: <question>
To check: <rubric_item>
Said: <llm_response>
Reply {"score": [a < b]}
'''
"""


def test_the_prompt_of_beam_is_filled_and_what_it_leaves_unfilled_stays(configure, released):
    released.lay_down("beam-judge", prompts=BEAM)
    config = configure(
        "judge=beam_official",
        f"judge.source.sums={{prompts.py: {sha(BEAM)}}}",
        f"judge.build.chat_model={MODEL}",
    )
    prompt = config.build_judges()[0]._prompt
    asked = {"question": "<question>", "rubric_item": "<b>", "generated_answer": "<llm_response>"}
    assert prompt.render(**asked)[0].content == (
        '\nAsked: <question>\nTo check: <b>\nSaid: <llm_response>\nReply {"score": [a < b]}\n'
    )
    assert f"beam-judge:{sha(BEAM)[:12]}" in config.judge_prompt


PERSONAMEM = """
class Evaluation:
    def query_llm(self, question, all_options, context=None, instructions=None):
        if instructions is None:
            instructions = "Say {a} letter after <final_answer>."
        return question + instructions + all_options
"""


def test_the_request_of_personamem_stands_between_question_and_options(configure, released):
    released.lay_down("personamem", inference_standalone_openai=PERSONAMEM)
    config = configure(
        "prompts=personamem",
        f"prompts.source.sums={{inference_standalone_openai.py: {sha(PERSONAMEM)}}}",
        "reader=choice_model",
        f"reader.build.chat_model={MODEL}",
    )
    prompt = config.build_reader()._prompt
    assert prompt.render(evidence="{{ x }}", question="Tea?", options="(a) yes\n(b) no") == (
        ChatMessage(
            "user",
            "{{ x }}\n\nTea?\n\nSay {a} letter after <final_answer>.\n\n(a) yes\n(b) no",
        ),
    )
    assert f"personamem:{sha(PERSONAMEM)[:12]}" in prompt_origin(config.prompts)
    assert "own(" in prompt_origin(config.prompts)  # extraction and planning stay ours


def test_the_judge_of_mem0_that_was_not_fetched_names_the_command(configure):
    config = configure("judge=mem0", f"judge.build.chat_model={MODEL}")
    with pytest.raises(FileNotFoundError, match=r"run `remem data prompts mem0-judge`"):
        assert config.judge_prompt
