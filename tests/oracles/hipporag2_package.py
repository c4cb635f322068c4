"""Run the published HippoRAG 2 (hipporag 2.0.0a4) on scripted replies, in its own Python.

`python hipporag2_package.py FOLDER` reads FOLDER/input.json = {"passages", "questions", "added"}
and writes the index, the rankings and the times to FOLDER/output.{json,npz}.
The package imports heavy libraries that its online path never uses: they are empty modules here.
"""

import importlib
import json
import os
import re
import sys
import time
import types
from pathlib import Path

import numpy as np

UNUSED = {
    "vllm": ("SamplingParams", "LLM"),
    "gritlm": ("GritLM",),
    "litellm": (),
    "boto3": (),
    "botocore": (),
    "botocore.exceptions": ("ClientError",),
}
MODULE = "hipporag.HippoRAG"


class InOrder(set):
    """A set that is iterated in the order in which items were added.

    The package iterates over a set of texts to break ties; without this class, its result would
    depend on the hash seed of the process.
    """

    def __init__(self, items=()):
        super().__init__()
        self._order = {}
        for item in items:
            self.add(item)

    def add(self, item):
        super().add(item)
        self._order[item] = None

    def __iter__(self):
        return iter(self._order)


class Clock:
    """The CPU seconds that scripted parts took, to be left out."""

    seconds = 0.0

    def around(self, function):
        def timed(*args, **kwargs):
            begun = time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                self.seconds += time.process_time() - begun

        return timed

    def spent(self, function, *args, **kwargs):
        """Return the CPU seconds of a call without those of scripted parts, and its result."""
        before, begun = self.seconds, time.process_time()
        result = function(*args, **kwargs)
        return time.process_time() - begun - (self.seconds - before), result


class Model:
    def infer(self, messages, **_):
        said = reply(messages[-1]["content"])
        return said, {"finish_reason": "stop", "prompt_tokens": 0, "completion_tokens": 0}, False


def reply(request):
    if "[[ ## question ## ]]" in request:
        question = re.search(r"## question ## \]\]\n(.*?)\n\n\[\[", request, re.DOTALL).group(1)
        facts = json.loads(re.search(r'^\{"fact".*\}$', request, re.MULTILINE).group())["fact"]
        kept = json.dumps({"fact": script.kept_of(question, facts)})
        return f"[[ ## fact_after_filter ## ]]\n{kept}\n\n[[ ## completed ## ]]"
    fenced = re.search(r"```\n(.*)\n```", request, re.DOTALL)
    if fenced is None:
        return '{"named_entities": []}'
    triples = script.triples_of(fenced.group(1))
    return json.dumps({"triples": triples}, ensure_ascii=False)


class Embedder:
    def __init__(self, **_):
        pass

    def batch_encode(self, texts, instruction="", norm=True):
        kind = "fact" if "facts" in instruction else "passage" if instruction else "document"
        return script.vectors_of(texts, kind)


def package(folder, clock):
    for name, contents in UNUSED.items():
        sys.modules[name] = types.ModuleType(name)
        for content in contents:
            setattr(sys.modules[name], content, type(content, (Exception,), {}))
    importlib.import_module("hipporag.HippoRAG")
    module = sys.modules[MODULE]
    module.set = InOrder
    module._get_llm_class = lambda config: Model()
    module._get_embedding_model_class = lambda embedding_model_name: Embedder
    made = module.HippoRAG(
        save_dir=str(folder / "saved"), llm_model_name="stub", embedding_model_name="stub"
    )
    made.openie.batch_openie = clock.around(made.openie.batch_openie)
    Embedder.batch_encode = clock.around(Embedder.batch_encode)
    Model.infer = clock.around(Model.infer)
    return made


def main(folder):
    asked = json.loads((folder / "input.json").read_text(encoding="utf-8"))
    passages, questions = asked["passages"], asked["questions"]
    clock = Clock()
    made = package(folder, clock)
    index_seconds, _ = clock.spent(made.index, passages)
    names = made.graph.vs["name"]
    ends = np.array([edge.tuple for edge in made.graph.es], dtype=np.int64)
    weights = np.array(made.graph.es["weight"])
    nodes = [
        [name.split("-")[0], text]
        for name, text in zip(names, made.graph.vs["content"], strict=True)
    ]
    made.retrieve(questions[:1], num_to_retrieve=1)
    query_seconds, found = clock.spent(made.retrieve, questions, num_to_retrieve=len(passages))
    at = {text: position for position, text in enumerate(passages)}
    seconds = {"index": index_seconds, "queries": query_seconds}
    np.savez(
        folder / "output.npz",
        ends=ends,
        weights=weights,
        rankings=np.array([[at[text] for text in each.docs] for each in found], dtype=np.int32),
        scores=np.array([each.doc_scores for each in found]),
    )
    if asked["added"]:
        seconds["add"], _ = clock.spent(made.index, [*passages, *asked["added"]])
    answer = {"nodes": nodes, "seconds": seconds}
    (folder / "output.json").write_text(json.dumps(answer), encoding="utf-8")


if __name__ == "__main__":
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    sys.path.insert(0, str(Path(__file__).parent))
    script = importlib.import_module("hipporag2_script")
    main(Path(sys.argv[1]))
