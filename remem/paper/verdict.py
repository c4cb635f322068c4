"""Compare one of our numbers with the paper's: z = delta / sqrt(SE_ours^2 + SE_paper^2).

The paper's standard error comes from the printed interval. If there is none, the error of a share
of right answers is computed from n. For other scores (F1, BLEU-1), only the standard error of our
number is used, and the result says so.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

from remem.config.conf_files import pinned_revision
from remem.embed.served_encoder import ServedEncoder, short_revision
from remem.metrics.intervals import Interval
from remem.paper.layout import MeasuredQuantity, PaperCell
from remem.prompts.chosen import PromptName

MODELS = {"gpt-5-chat": "gpt-5-chat-latest"}
MODEL = "gpt-4.1-mini-2025-04-14"
"""The paper's language model, except for the row variants in MODELS."""

EMBEDDERS = {"qwen3_embedding_8b": ("Qwen/Qwen3-Embedding-8B", "qwen3_embedding_8b")}
EMBEDDER = ("nvidia/NV-Embed-v2", "nv_embed_v2")
"""The paper's embedder on the hub and its name in conf, except for the variants in EMBEDDERS."""

YES_OR_NO = {"mem0_judge", "tot_em", "locomo_refused"}
"""Conventions that score each question as 0 or 1 (`made_with`)."""

NORMAL_95 = 1.96

RELEASED, MEM0_JUDGE = "released", "mem0-judge"
"""The prompt libraries of the released code (docs/conventions.md)."""


@dataclass(frozen=True, slots=True)
class RunComponents:
    """The components of a run; a name is "none" if the run has no such component.

    `embedder` is also "none" if the memory of the run does not use the configured embedder.
    `encoder` is the encoder that the embedder's server reported. It is None if there was no server,
    or if the run does not exist yet. `judge_prompt` is the name of the library that contains the
    judge's prompt.
    """

    model: str
    embedder: str
    prompts: tuple[PromptName, ...]
    judge_model: str
    judge_prompt: str
    encoder: ServedEncoder | None = None


def differences(made: RunComponents, paper: MeasuredQuantity, *, judged: bool) -> tuple[str, ...]:
    """Return why a run's number is not comparable with the paper's; empty if it is comparable.

    Args:
        made: The components of the run.
        paper: What the paper measured.
        judged: Whether the number is a score given by a judge.
    """
    all_differences = [*_of_model(made, paper), *_of_embedder(made, paper), *_of_prompts(made)]
    if judged:
        all_differences += _of_judge(made)
    return tuple(all_differences)


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
        yield f"our own prompts: {', '.join(others)}"


def _of_judge(made: RunComponents) -> Iterator[str]:
    if made.judge_model != made.model:
        yield f"judge model {made.judge_model}, not the one that answered"
    if made.judge_prompt != MEM0_JUDGE:
        yield f"judge prompt {made.judge_prompt}, not Mem0's"


Word = Literal["agrees", "near", "differs", "not comparable", "incomplete", "not run", "no verdict"]

AGREES_BELOW, NEAR_BELOW = 2, 3


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict with its reason.

    `delta` is our number minus the paper's. `z` is None if it was not computed.
    """

    word: Word
    reason: str
    delta: float | None = None
    z: float | None = None


@dataclass(frozen=True, slots=True)
class PaperError:
    """The standard error of a printed number, and its source."""

    error: float
    taken_from: Literal["printed interval", "binomial", "SE of ours only"]


def paper_error(paper: PaperCell) -> PaperError:
    """Return the standard error, in per cent, of a number of the paper."""
    number = paper.number
    if number.minus is not None and number.plus is not None:
        return PaperError(float(number.minus + number.plus) / (2 * NORMAL_95), "printed interval")
    if paper.made_with in YES_OR_NO and paper.n:
        share = float(number.value) / 100
        return PaperError(100 * sqrt(share * (1 - share) / paper.n), "binomial")
    return PaperError(0.0, "SE of ours only")


def verdict(paper: PaperCell, ours: Interval, differences: Sequence[str] = ()) -> Verdict:
    """Compare one of our numbers with the paper's.

    Args:
        paper: The paper's number.
        ours: Our number in per cent, under the score convention of the paper's number.
        differences: How our run differs from the paper's.
    """
    delta = ours.mean - float(paper.number.value)
    if paper.n is not None and ours.n < paper.n:
        return Verdict("incomplete", f"{ours.n}/{paper.n} questions", delta)
    if differences:
        return Verdict("not comparable", "; ".join(differences), delta)
    if ours.low is None or ours.high is None:
        return Verdict("no verdict", "one question has no interval", delta)
    theirs = paper_error(paper)
    own_error = (ours.high - ours.low) / (2 * NORMAL_95)
    error = sqrt(own_error**2 + theirs.error**2)
    if error == 0:
        return _exact(paper, delta)
    z = delta / error
    return Verdict(_word(abs(z)), f"|z| = {abs(z):.2f} ({theirs.taken_from})", delta, z)


def exact_verdict(paper: PaperCell, ours: float) -> Verdict:
    """Compare a count, which has no standard error: it must equal the printed count."""
    return _exact(paper, ours - float(paper.number.value))


def _exact(paper: PaperCell, delta: float) -> Verdict:
    same = abs(delta) <= float(paper.number.slack)
    return Verdict("agrees" if same else "differs", "neither has an error", delta)


def _word(z: float) -> Word:
    if z < AGREES_BELOW:
        return "agrees"
    return "near" if z < NEAR_BELOW else "differs"
