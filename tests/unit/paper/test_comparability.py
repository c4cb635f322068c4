"""Each part of a run that differs from the paper's is named separately."""

from dataclasses import replace

from remem.embed.served_encoder import ServedEncoder
from remem.paper.layout import MeasuredQuantity
from remem.paper.verdict import RunComponents, differences
from remem.prompts.chosen import PromptName

PAPER = MeasuredQuantity("embedding_messages", "direct", "none", "", "locomo", "all", "llm_j")
SAME = RunComponents(
    model="gpt-4.1-mini-2025-04-14",
    embedder="nvidia/NV-Embed-v2",
    prompts=(PromptName("released", "reader_direct.v1"),),
    judge_model="gpt-4.1-mini-2025-04-14",
    judge_prompt="mem0-judge",
)


def test_the_papers_own_parts_differ_in_nothing() -> None:
    assert differences(SAME, PAPER, judged=True) == ()


def test_each_other_part_is_named() -> None:
    cases = [
        ({"model": "m", "judge_model": "m"}, "model m, not gpt-4.1-mini-2025-04-14"),
        ({"embedder": "hashing"}, "embedder hashing, not nvidia/NV-Embed-v2"),
        ({"prompts": (PromptName("own", "planner.v1"),)}, "our own prompts: planner.v1"),
        ({"judge_model": "m"}, "judge model m, not the one that answered"),
        ({"judge_prompt": "own"}, "judge prompt own, not Mem0's"),
    ]
    for other, said in cases:
        assert differences(replace(SAME, **other), PAPER, judged=True) == (said,)


def test_a_judge_is_no_difference_where_none_was_asked() -> None:
    other = replace(SAME, judge_model="none", judge_prompt="none")
    assert differences(other, PAPER, judged=False) == ()


def test_a_method_without_embedder_has_no_other_one() -> None:
    assert differences(replace(SAME, embedder="none"), PAPER, judged=False) == ()


def test_a_variant_has_its_own_model_and_embedder() -> None:
    qwen = replace(SAME, embedder="Qwen/Qwen3-Embedding-8B")
    assert differences(qwen, replace(PAPER, variant="qwen3_embedding_8b"), judged=False) == ()
    gpt5 = replace(SAME, model="gpt-5-chat-latest")
    assert differences(gpt5, replace(PAPER, variant="gpt-5-chat"), judged=False) == ()
    assert len(differences(qwen, PAPER, judged=False)) == 1


NV_EMBED, PINNED = "nvidia/NV-Embed-v2", "7604d305b621f14095a1aa23d351674c2859553a"
QWEN, QWEN_PINNED = "Qwen/Qwen3-Embedding-8B", "4e423935c619ae4df87b646a3ce949610c66241c"


def test_a_served_encoder_is_what_its_server_said() -> None:
    cases = [
        ("nv_embed_v2", NV_EMBED, PINNED, ()),
        ("nv_embed_v2", NV_EMBED, "abc", (f"embedder {NV_EMBED} at revision abc, not 7604d30",)),
        ("nv_embed_v2", NV_EMBED, "", (f"embedder {NV_EMBED} at revision unknown, not 7604d30",)),
        ("nv_embed_v2", "some/model", PINNED, (f"embedder some/model, not {NV_EMBED}",)),
        ("nv_embed_v2", "", "", ("the server did not say which model it served",)),
        ("mine", NV_EMBED, PINNED, (f"embedder mine, not {NV_EMBED}",)),
    ]
    for name, model, revision, said in cases:
        encoder = ServedEncoder(name, model, revision)
        made = replace(SAME, embedder=name, encoder=encoder)
        assert differences(made, PAPER, judged=False) == said


def test_the_row_of_the_other_encoder_is_judged_by_that_one() -> None:
    variant = replace(PAPER, variant="qwen3_embedding_8b")
    encoder = ServedEncoder("qwen3_embedding_8b", QWEN, QWEN_PINNED)
    made = replace(SAME, embedder=encoder.name, encoder=encoder)
    assert differences(made, variant, judged=False) == ()
    assert differences(made, PAPER, judged=False) == (
        f"embedder qwen3_embedding_8b, not {NV_EMBED}",
    )
    before_its_run = replace(made, encoder=None)
    assert differences(before_its_run, variant, judged=False) == ()
