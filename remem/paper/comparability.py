"""List what differs between a run and the paper: model, embedder, prompts and judge.

Deviation: the paper's judge is assumed to be the model that answered, as in the released code.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from remem.config.conf_files import pinned_revision
from remem.embed.served_encoder import ServedEncoder, short_revision
from remem.paper.layout import MeasuredQuantity
from remem.prompts.chosen import PromptName

MODELS = {"gpt-5-chat": "gpt-5-chat-latest"}
MODEL = "gpt-4.1-mini-2025-04-14"
"""The paper's language model, except for the row variants in MODELS."""

EMBEDDERS = {"qwen3_embedding_8b": ("Qwen/Qwen3-Embedding-8B", "qwen3_embedding_8b")}
EMBEDDER = ("nvidia/NV-Embed-v2", "nv_embed_v2")
"""The paper's embedder on the hub and its name in conf, except for the variants in EMBEDDERS."""

RELEASED, MEM0_JUDGE = "released", "mem0-judge"
"""The prompt libraries of the released code (docs/deviations.md)."""


@dataclass(frozen=True, slots=True)
class RunComponents:
    """The components of a run; "none" for a missing part.

    `embedder` is "none" if it is unused. `encoder` is what the server of the embedder said; None if
    there was no server, or the run is not there yet. `judge_prompt` is the name of the prompt's
    library.
    """

    model: str
    embedder: str
    prompts: tuple[PromptName, ...]
    judge_model: str
    judge_prompt: str
    encoder: ServedEncoder | None = None


def differences(made: RunComponents, paper: MeasuredQuantity, *, judged: bool) -> tuple[str, ...]:
    """Return the differences between a run and the paper for a number; empty if comparable.

    Args:
        made: What the run was made with.
        paper: What the paper measured.
        judged: Whether a judge made the number.
    """
    found = [*_of_model(made, paper), *_of_embedder(made, paper), *_of_prompts(made)]
    if judged:
        found += _of_judge(made)
    return tuple(found)


def _of_model(made: RunComponents, paper: MeasuredQuantity) -> Iterator[str]:
    model = MODELS.get(paper.variant, MODEL)
    if made.model != model:
        yield f"model {made.model}, not {model}"


def _of_embedder(made: RunComponents, paper: MeasuredQuantity) -> Iterator[str]:
    model, name = EMBEDDERS.get(paper.variant, EMBEDDER)
    if made.embedder not in ("none", model, name):
        yield f"embedder {made.embedder}, not {model}"
    elif made.encoder is not None:
        yield from _of_encoder(made.encoder, model, pinned_revision(name))


def _of_encoder(encoder: ServedEncoder, model: str, revision: str) -> Iterator[str]:
    if not encoder.model:
        yield "the server did not say which model it served"
    elif encoder.model != model:
        yield f"embedder {encoder.model}, not {model}"
    elif encoder.revision != revision:
        now, pinned = short_revision(encoder.revision), short_revision(revision)
        yield f"embedder {model} at revision {now}, not {pinned}"


def _of_prompts(made: RunComponents) -> Iterator[str]:
    others = sorted({prompt.name for prompt in made.prompts if prompt.library != RELEASED})
    if others:
        yield f"prompts of our own: {', '.join(others)}"


def _of_judge(made: RunComponents) -> Iterator[str]:
    if made.judge_model != made.model:
        yield f"judge model {made.judge_model}, not the one that answered"
    if made.judge_prompt != MEM0_JUDGE:
        yield f"judge prompt {made.judge_prompt}, not Mem0's"
