"""Instructions before queries, and scaling of vectors to unit length."""

import numpy as np
import pytest

from remem.config.run_config import compose_config
from remem.embed.model_io import QueryInstructions, unit_rows


def test_a_format_without_a_place_for_the_instruction_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected a text with '\{instruction\}'"):
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


TEXTS = ["first", "second " * 20, "third"]


def rows(*second: float) -> np.ndarray:
    return np.array([[3.0, 4.0], second, [0.0, 1e-30]], dtype=np.float32)


def test_each_vector_is_scaled_to_length_one() -> None:
    vectors = unit_rows(rows(-2.0, 0.0), TEXTS, dimension=2, model="m")
    np.testing.assert_allclose(vectors, [[0.6, 0.8], [-1.0, 0.0], [0.0, 1.0]], atol=1e-7)
    assert vectors.dtype == np.float32


@pytest.mark.parametrize("second", [(np.nan, 1.0), (np.inf, 1.0)])
def test_a_vector_without_a_direction_names_its_text(second: tuple[float, float]) -> None:
    told = "m returned a number that is not finite for text 1 of 3, .* 'second second"
    with pytest.raises(ValueError, match=told):
        unit_rows(rows(*second), TEXTS, dimension=2, model="m")


@pytest.mark.parametrize("dimension", [1, 3])
def test_another_dimension_is_refused(dimension: int) -> None:
    with pytest.raises(ValueError, match=r"shape \(3, 2\) for 3 texts"):
        unit_rows(rows(1.0, 0.0), TEXTS, dimension=dimension, model="m")
