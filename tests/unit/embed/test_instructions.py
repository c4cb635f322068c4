"""What stands before a query."""

import pytest

from remem.config.run_config import compose_config
from remem.embed.instructions import QueryInstructions


def test_each_target_has_its_instruction_in_the_format() -> None:
    instructions = QueryInstructions(
        passage="find {it}", fact="find facts", format="[{instruction}] "
    )
    assert instructions.prefix("passage") == "[find {it}] "
    assert instructions.prefix("fact") == "[find facts] "


def test_a_format_without_a_place_for_the_instruction_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected '\{instruction\}' in it"):
        QueryInstructions(passage="p", fact="f", format="Query: ")


@pytest.mark.parametrize("name", ["nv_embed_v2", "qwen3_embedding_8b"])
def test_the_instructions_are_those_of_the_field_to_the_letter(name: str) -> None:
    content = compose_config([f"embedder={name}"]).embedder.build.embedder.instructions
    texts = {key: content[key] for key in ("passage", "fact", "format")}
    question = "Given a question, retrieve relevant"
    assert QueryInstructions(**texts).prefix("passage") == (
        f"Instruct: {question} documents that best answer the question.\nQuery: "
    )
    assert QueryInstructions(**texts).prefix("fact") == (
        f"Instruct: {question} triplet facts that matches this question.\nQuery: "
    )
