"""Measure the published HippoRAG 2 (hipporag 2.0.0a4) on the same passages, in its Python.

It names heavy libraries that its online path never uses: they are empty modules here. Extraction,
model and embedder are those that ours has too.
"""

import importlib
import json
import re
import sys
import tempfile
import types
from typing import Any

from measure.hipporag2_measurement import HippoRagMeasurement, MeasuredCorpus, MeasuredQuestion
from measure.left_out import LeftOut, peak_mib
from measure.passage_workload import KEPT

UNUSED = {
    "vllm": ("SamplingParams", "LLM"),
    "gritlm": ("GritLM",),
    "litellm": (),
    "boto3": (),
    "botocore": (),
    "botocore.exceptions": ("ClientError",),
}
MODULE = "hipporag.HippoRAG"
BEST = 10
ADDITIONS = 1
"""Each takes it as long as the whole index."""

_FACTS = re.compile(r'^\{"fact".*\}$', re.MULTILINE)


def main(measured: MeasuredQuestion) -> HippoRagMeasurement:
    """Measure indexing, questions and additions."""
    for name, contents in UNUSED.items():
        sys.modules[name] = types.ModuleType(name)
        for content in contents:
            setattr(sys.modules[name], content, type(content, (Exception,), {}))
    importlib.import_module(MODULE)
    left_out, made_up = LeftOut(), importlib.import_module(measured.stubs)
    return HippoRagMeasurement.of(
        [_measured(left_out, made_up, corpus) for corpus in measured.corpora]
    )


def _measured(left_out: LeftOut, made_up: Any, corpus: MeasuredCorpus) -> HippoRagMeasurement:
    with tempfile.TemporaryDirectory() as folder:
        made = _package(folder, left_out, made_up)
        numbers = {text: number for number, text in enumerate(corpus.passages)}
        index, _ = left_out.spent(made.index, corpus.passages)
        # What it prepares once is left out.
        made.retrieve(corpus.questions[:1], num_to_retrieve=BEST)
        singly = [left_out.spent(made.retrieve, [text], BEST) for text in corpus.questions]
        peak = peak_mib()
        added = [left_out.spent(made.index, [text]) for text in corpus.added[:ADDITIONS]]
    return HippoRagMeasurement(
        index=index,
        queries=tuple(seconds for seconds, _ in singly),
        batched=(),
        added=tuple(seconds for seconds, _ in added),
        peak_mib=peak,
        best=tuple(tuple(numbers[text] for text in solutions[0].docs) for _, solutions in singly),
    )


def _package(folder: str, left_out: LeftOut, made_up: Any) -> Any:
    module: Any = sys.modules[MODULE]  # a class of the same name stands in its place elsewhere
    module._get_llm_class = lambda config: _TheirModel(left_out)
    module._get_embedding_model_class = lambda embedding_model_name: _embedder(left_out, made_up)
    made = module.HippoRAG(save_dir=folder, llm_model_name="stub", embedding_model_name="stub")
    made.openie = _OpenIE(left_out, made_up)
    return made


class _OpenIE:
    def __init__(self, left_out: LeftOut, made_up: Any) -> None:
        self._left_out = left_out
        self._made_up = made_up
        self._parts = importlib.import_module("hipporag.utils.misc_utils")

    def batch_openie(self, chunks: dict[str, dict[str, str]]) -> tuple[Any, Any]:
        with self._left_out.stub():
            entities, triples = {}, {}
            for key, row in chunks.items():
                made_triples = [list(triple) for triple in self._made_up.triples_of(row["content"])]
                named = list(
                    dict.fromkeys(
                        end for subject, _, other in made_triples for end in (subject, other)
                    )
                )
                entities[key] = self._parts.NerRawOutput(key, "", named, {})
                triples[key] = self._parts.TripleRawOutput(key, "", made_triples, {})
            return entities, triples


class _TheirModel:
    def __init__(self, left_out: LeftOut) -> None:
        self._left_out = left_out

    def infer(self, messages: list[dict[str, str]], **_: Any) -> tuple[str, dict[str, Any], bool]:
        with self._left_out.stub():
            shown = _FACTS.search(messages[-1]["content"])
            facts = json.loads(shown[0])["fact"] if shown else []
            kept = json.dumps({"fact": facts[:KEPT]})
            reply = f"[[ ## fact_after_filter ## ]]\n{kept}\n\n[[ ## completed ## ]]"
            return reply, {"finish_reason": "stop"}, False


def _embedder(left_out: LeftOut, made_up: Any) -> type:
    class TheirEmbedder:
        def __init__(self, **_: Any) -> None:
            pass

        def batch_encode(self, texts: list[str], instruction: str = "", norm: bool = True) -> Any:
            with left_out.stub():
                kind = "fact" if "facts" in instruction else "passage" if instruction else ""
                return made_up.vectors_of(texts, kind or "document")

    return TheirEmbedder
