"""Hostile files of a stranger's `--config-dir`: none runs anything, sends anything or writes.

The environment holds keys under several names, and a server on the loopback counts what it is
sent. Each file is used by the real command, in the way that its author hopes for.
"""

import json
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest

SECRET = "/k7Gz+canary9Qw4x"
Remem = Callable[..., tuple[int, str]]
COMMIT = "0123456789abcdef0123456789abcdef01234567"
GLOBAL = "# @package _global_\n"
DATASET = "name: mine\nstyle: chat\nscores: [f1]\nmax_steps: 3\n"
GENERATOR = "remem.benchmarks.dialogues.generator.GeneratedDialogues"
DIALOGUES = (
    f"{{_target_: {GENERATOR}, seed: 1, "
    "conversations: 1, sessions: 2, events_per_session: 2, questions_per_session: 2, "
    "evidence_rule: paper}"
)
API = (
    "{_target_: remem.embed.api.ApiEmbedder, base_url: 'URL', "
    "api_key_variable: AWS_SECRET_ACCESS_KEY, model: m, dimension: 4, instructions: null, "
    "sends_role: false, batch_size: 8, timeout_seconds: 5, retries: 0, calls: null}"
)
DENSE = (
    "build: {_target_: baselines.passage_rag.PassageRAG, unit: message, top_k: 3, "
    "embed_date: false, retriever: {_target_: baselines.passage_rag.DenseRetriever, "
    "_partial_: true, embedder: EMBEDDER, dense: '${index.build}'}}\n"
)
STARTS = (
    "name: mine\nlabel: Mine\nbuild: {_target_: remem.apps.rivals.external_memory.ExternalMemory, "
    "chat_model: '${oc.select:llm.build,null}', embedder: '${embedder.build}', gateway: "
    "{_target_: remem.apps.rivals.gateway_server.Gateway, _partial_: true}, worker: mem0_2, "
    "package: x==1, environment: HERE/evil, python_variable: NO_SUCH_VARIABLE, command: make x, "
    "unit: message, settings: {top_k: 3}, timeout_seconds: 5}\n"
)


def table(*overrides: str) -> str:
    """Return a table of one row; the given overrides of a stranger come last."""
    small = ("dataset=generated_dialogues", "dataset.build.conversations=1", "run.limit=1")
    row = [*small, "method=embedding_messages", *overrides]
    block = {
        "title": "B",
        "overrides": [],
        "columns": [{"heading": "F1", "score": "f1"}],
        "rows": [{"overrides": row}],
        "notes": [],
    }
    return json.dumps({"title": "T", "blocks": [block]})


TABLE = ("table", "mine")
RUN = ("run", "run.limit=1", "run.histories=1", "run.health=warn")
Case = tuple[str, str, tuple[str, ...], str]
HOSTILE: dict[str, Case] = {
    "a key is sent to an address": (
        "table/mine.yaml",
        table(
            "embedder=api",
            "embedder.build.embedder.base_url=URL",
            "embedder.build.embedder.api_key_variable=AWS_SECRET_ACCESS_KEY",
        ),
        TABLE,
        "embedder",
    ),
    "a model is chosen by the name of its file": (
        "table/mine.yaml",
        table("method=no_memory", "reader=direct", "llm=vllm.yaml"),
        TABLE,
        "llm",
    ),
    "code of a model in a folder runs": (
        "table/mine.yaml",
        table(
            "embedder=sentence_transformer",
            "embedder.build.embedder.model=HERE/model",
            "embedder.build.embedder.trust_remote_code=true",
            f"embedder.build.embedder.revision='{COMMIT}'",
        ),
        TABLE,
        "embedder.build.embedder.model",
    ),
    "results go elsewhere": (
        "table/mine.yaml",
        table("method=no_memory", "paths.results=HERE/elsewhere"),
        TABLE,
        "paths.results",
    ),
    "a method embeds at an address": (
        "method/mine.yaml",
        "name: mine\nlabel: Mine\n" + DENSE.replace("EMBEDDER", API),
        (*RUN, "method=mine"),
        "method.build.retriever.embedder",
    ),
    "a name leads out of the results": (
        "dataset/mine.yaml",
        DATASET.replace("mine", "../../../elsewhere") + f"build: {DIALOGUES}\n",
        (*RUN, "dataset=mine", "method=no_memory"),
        "dataset.name",
    ),
    "a name is an address of ours": (
        "method/mine.yaml",
        "name: ${paths.data}\nlabel: Mine\nbuild: {_target_: baselines.reference.NoMemory}\n",
        (*RUN, "method=mine", "paths.data=HERE/elsewhere"),
        "method.name",
    ),
    "a private file is read as data": (
        "dataset/mine.yaml",
        DATASET + "build: {_target_: remem.benchmarks.locomo.LoCoMo, data: ., file: private.txt}\n",
        (*RUN, "dataset=mine", "method=no_memory"),
        "dataset.build.",
    ),
    "a program is started": (
        "method/mine.yaml",
        STARTS,
        (*RUN, "method=mine", "run.packages=[another]"),
        "method.build",
    ),
    "a default chooses a model": (
        "reader/mine.yaml",
        f"{GLOBAL}defaults: [{{override /embedder: api}}]\nreader: {{name: mine}}\n",
        (*RUN, "reader=mine", "method=embedding_messages"),
        "embedder",
    ),
    "a key is read by its name": (
        "reader/mine.yaml",
        "defaults: [extractive]\nname: mine\nseen: 'a ${oc.env:OPENAI_APIKEY}'\n",
        (*RUN, "reader=mine", "method=no_memory"),
        "reader.seen",
    ),
    "a key is read by a text of texts": (
        "reader/mine.yaml",
        "defaults: [extractive]\nname: mine\na: $\nb: '{oc.env:GITHUB_PAT}'\n"
        "seen: \"${oc.decode:'${.a}${.b}'}\"\n",
        (*RUN, "reader=mine", "method=no_memory"),
        "reader.seen",
    ),
    "packages are a mapping": (
        "reader/mine.yaml",
        f"{GLOBAL}run: {{packages: {{os: 1}}}}\n",
        (*RUN, "reader=mine", "method=no_memory"),
        "run.packages",
    ),
    "data never end by a reference": (
        "dataset/mine.yaml",
        f"{DATASET}many: 16000000\nbuild: "
        + DIALOGUES.replace("conversations: 1", "conversations: '${dataset.many}'"),
        (*RUN, "dataset=mine", "method=no_memory"),
        "dataset.build",
    ),
    "data of a table never end in parts": (
        "table/mine.yaml",
        table("dataset.build.conversations=100000", "dataset.build.sessions=1000"),
        TABLE,
        "dataset.build",
    ),
    "vectors fill the memory by a reference": (
        "embedder/mine.yaml",
        "name: mine\nmany: 16000000\nbuild:\n  _target_: remem.embed.hashing.HashingEmbedder\n"
        "  dimension: ${embedder.many}\n",
        (*RUN, "dataset=generated_dialogues", "embedder=mine"),
        "embedder.build.dimension",
    ),
    "a class is named by a reference": (
        "dataset/mine.yaml",
        f"{DATASET}what: {GENERATOR}\nbuild: " + DIALOGUES.replace(GENERATOR, "'${dataset.what}'"),
        (*RUN, "dataset=mine", "method=no_memory"),
        "_target_",
    ),
}


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """Replace sentence-transformers by a stand-in; return the list of models that it must load."""
    seen: list[dict[str, object]] = []

    def load(name: str, **settings: object) -> None:
        seen.append({"name": name, **settings})
        raise RuntimeError("a stand-in loads nothing")

    for name, members in (
        ("sentence_transformers", {"SentenceTransformer": load, "__version__": "6.0.0"}),
        ("torch", {"float32": "float32"}),
    ):
        module = ModuleType(name)
        module.__spec__ = ModuleSpec(name, None)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    return seen


def put(tmp_path: Path, url: str, name: str, content: str) -> Path:
    file = tmp_path / "conf" / name
    file.parent.mkdir(parents=True)
    file.write_text(content.replace("URL", url).replace("HERE", str(tmp_path)), encoding="utf-8")
    return file


def outside(tmp_path: Path) -> set[Path]:
    """Return every file that is not below the results."""
    return {
        path
        for path in (*tmp_path.rglob("*"), *tmp_path.parent.glob("elsewhere*"))
        if path.is_file() and not path.is_relative_to(tmp_path / "results")
    }


@pytest.mark.parametrize("case", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_file_runs_sends_and_writes_nothing(
    remem: Remem,
    asked: tuple[str, list[str]],
    loaded: list[dict[str, object]],
    tmp_path: Path,
    case: Case,
) -> None:
    name, content, command, key = case
    url, sent = asked
    file = put(tmp_path, url, name, content)
    # A table's own `paths.results` is the attack; everything else is told where results go.
    place = () if "paths.results" in content else (f"paths.results={tmp_path / 'results'}",)
    before = outside(tmp_path)
    arguments = [item.replace("HERE", str(tmp_path)) for item in (*command, *place)]
    code, said = remem(*arguments, "--config-dir", str(tmp_path / "conf"))
    assert sent == [] and loaded == [] and not (tmp_path / "was_run").exists(), said
    assert outside(tmp_path) == before, said
    everything = (path for path in tmp_path.rglob("*") if path.is_file())
    assert not any(SECRET.encode() in path.read_bytes() for path in everything)
    assert SECRET not in said and "Traceback" not in said
    assert code == 2, said
    assert key in said, said
    assert any(item in said for item in (str(file), f"{tmp_path}/conf:", "cannot name a folder")), (
        said
    )


def test_a_trusted_folder_names_addresses_variables_and_folders(
    remem: Remem, asked: tuple[str, list[str]], tmp_path: Path
) -> None:
    url, sent = asked
    overrides = (
        "embedder=api",
        "embedder.build.embedder.base_url=URL",
        "embedder.build.embedder.api_key_variable=AWS_SECRET_ACCESS_KEY",
        "embedder.build.embedder.retries=0",
        "paths.results=HERE/mine",
    )
    put(tmp_path, url, "table/mine.yaml", table(*overrides))
    code, said = remem("table", "mine", "--trust-config", str(tmp_path / "conf"))
    assert code != 2, said
    assert sent and set(sent) == {f"Bearer {SECRET}"}
    assert (tmp_path / "mine").is_dir()
    assert "--trust-config lets its files set addresses" in said
    assert (
        "grants"
        not in remem("table", "mine", "--config-dir", str(tmp_path / "conf"))[1].split(
            "in place of"
        )[0]
    )


@pytest.mark.parametrize(
    "name",
    [
        "a key is read by its name",
        "a key is read by a text of texts",
        "packages are a mapping",
        "code of a model in a folder runs",
    ],
)
def test_a_trusted_folder_runs_no_code_of_models_and_reads_no_environment(
    remem: Remem,
    loaded: list[dict[str, object]],
    tmp_path: Path,
    name: str,
) -> None:
    file, content, command, _ = HOSTILE[name]
    put(tmp_path, "", file, content)
    trust = ("--trust-config", str(tmp_path / "conf"))
    code, said = remem(*command, f"paths.results={tmp_path / 'results'}", *trust)
    assert (code, loaded) == (2, []), said
    assert SECRET not in said and "Traceback" not in said
