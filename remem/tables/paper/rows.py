"""The rows of the paper's tables as Hydra overrides, and the LLM-free rows on the same datasets.

A row of the paper is a combination of memory, reader, ablation and variant on a dataset. The
LLM-free rows come from those tables of conf/table that use real data.
"""

import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from remem.config.conf_files import conf_file
from remem.embed.served_encoder import PAPER_ENCODERS
from remem.files.yaml_text import load_yaml
from remem.paper.layout import MeasuredQuantity, PaperTable
from remem.tables.rows import fitted, same_everywhere
from remem.tables.table_plan import RowPlan, TablePlan, read_plan

LLM_FREE_TABLES = ("real-offline", "real-offline-reasoning", "real-offline-semantic")

MODEL_GROUPS = re.compile(
    r"[+~]*(llm|judge|judge_llm|prompts|embedder|extractor|planner|reader|method|ablation)\b"
)
"""The prefixes of the user's overrides that apply to the paper's rows only."""

PAPER = "paper"
"""The file of conf/experiment with the settings of the paper's rows."""
OWN_PROMPTS = ("prompts=own", "judge=llm")
"""The overrides that choose our prompts instead of the released ones."""

VARIANTS = {
    "": (),
    "qwen3_embedding_8b": ("embedder=qwen3_embedding_8b",),
    "gpt-5-chat": ("llm=gpt-5-chat",),
    "top_k=3": ("method.build.top_k=3",),
}

MEMORIES = {
    "full_context": (),
    "oracle_message": (),
    "bm25_messages": (),
    "embedding_messages": (),
    "remem_i": ("extractor=llm", "planner=llm"),
    "remem_s": ("extractor=llm",),
    "hipporag2": (),
    "mem0": ("llm.build.endpoint.json_mode=object",),
    "graphiti": ("llm.build.endpoint.json_mode=object",),
}
"""The overrides that each memory of the paper needs besides its name."""

EMBEDDER, SERVED = "embedder=", "served"
SERVED_NAME = "embedder.build.embedder.model="
"""The override that names the encoder at its server."""

UNNAMED_REMEM = "remem"
"""The paper's name of its method if it does not say whether it is REMem-I or REMem-S."""

SESSIONS = ("locomo", "realtalk")
"""The datasets on which HippoRAG 2 retrieves sessions; on the others it retrieves ten passages."""

DATASETS = (*SESSIONS, "complex_tr", "tot", "musique", "two_wiki")


def datasets_of(measured: MeasuredQuantity) -> tuple[str, ...]:
    """Return the datasets that a number pools; empty if remem does not have all of them."""
    names = tuple(measured.dataset.split("+"))
    return names if set(names) <= set(DATASETS) else ()


def paper_overrides(
    measured: MeasuredQuantity, dataset: str, sample: int | None
) -> tuple[str, ...] | None:
    """Return the overrides of a row of the paper on a dataset; None if we lack its method.

    Args:
        measured: What one of the numbers of the row measures.
        dataset: One of the datasets that the number pools.
        sample: The number of questions that the paper asked for this row; None for all questions.
    """
    memory = "remem_i" if measured.memory == UNNAMED_REMEM else measured.memory
    if memory not in MEMORIES:
        return None
    ablation = measured.ablation or "none"
    return (
        f"dataset={dataset}",
        f"method={memory}",
        f"reader={_reader(memory, measured.reader or 'direct', dataset)}",
        *(() if ablation == "none" else (f"ablation={ablation}",)),
        *paper_models(),
        *MEMORIES[memory],
        *_passages(memory, dataset),
        *VARIANTS[measured.variant],
        *(() if sample is None or dataset != "tot" else (f"dataset.build.subset={sample}",)),
    )


@cache
def paper_models() -> tuple[str, ...]:
    """Return the overrides for the paper's models, prompts and judge; later overrides win."""
    file = conf_file("experiment", PAPER)
    entries = load_yaml(file).defaults if file else []
    return tuple(
        f"{group.removeprefix('override /')}={choice}"
        for entry in entries
        for group, choice in entry.items()
    )


def model_row(method: str, dataset: str) -> tuple[str, ...]:
    """Return the overrides of a row of the user's method, with the paper's models."""
    return (
        f"dataset={dataset}",
        f"method={method}",
        f"reader={_reader(method, 'direct', dataset)}",
        *paper_models(),
    )


def changed(row: Sequence[str], overrides: Sequence[str]) -> tuple[str, ...]:
    """Return the overrides of a row, followed by the user's overrides that fit the row.

    With embedder=served, the encoder of the row is requested from the server, unless an override
    names another encoder.
    """
    encoder, chosen = _embedder(row), _embedder(overrides)
    named = any(override.startswith(SERVED_NAME) for override in overrides)
    if chosen != SERVED or encoder not in PAPER_ENCODERS or named:
        return fitted(row, overrides)
    return fitted(row, [*overrides, SERVED_NAME + encoder])


def _embedder(overrides: Sequence[str]) -> str:
    """Return the name of the last embedder among overrides; "" if none is chosen."""
    chosen = [override for override in overrides if override.startswith(EMBEDDER)]
    return chosen[-1].removeprefix(EMBEDDER) if chosen else ""


def llm_free_rows(dataset: str, added: Sequence[str] = ()) -> Iterator[RowPlan]:
    """Yield a dataset's LLM-free rows and a row per added method, with their blocks' overrides."""
    for table in LLM_FREE_TABLES:
        for block in _plan(table).blocks:
            if f"dataset={dataset}" in block.overrides:
                for row in block.rows:
                    yield RowPlan((*block.overrides, *row.overrides), row.note)
                for name in added:
                    yield RowPlan((*block.overrides, f"method={name}"), added=True)


def llm_free_notes(datasets: Collection[str]) -> Iterator[str]:
    """Yield the notes that conf/table has on LLM-free rows of these datasets, each note once."""
    blocks = [block for name in LLM_FREE_TABLES for block in _plan(name).blocks]
    chosen = {f"dataset={dataset}" for dataset in datasets}
    notes = [
        note
        for block_plan in blocks
        if chosen & set(block_plan.overrides)
        for note in block_plan.notes
    ]
    yield from dict.fromkeys(notes)


@cache
def _plan(name: str) -> TablePlan:
    """Read one of our own plans; it is cached, because each cell of a table needs it."""
    return read_plan(name)


def without_models(overrides: Sequence[str]) -> tuple[str, ...]:
    """Return the overrides that also apply to LLM-free rows: data, folders and conventions."""
    return tuple(override for override in overrides if not MODEL_GROUPS.match(override))


def judge_command(name: str, overrides: Sequence[str]) -> str:
    """Return the command that lets the judge grade the answers of a run; `name` is `Run.name`."""
    folder = f"results/{name}" if name else "RUN"
    of_judge = [
        override
        for override in same_everywhere(overrides)
        if re.match(r"[+~]*(llm|judge|prompts|convention)\b", override)
    ]
    return shlex.join(("remem", "judge", "run", folder, *of_judge))


def _reader(memory: str, reader: str, dataset: str) -> str:
    """Return the name of the reader; Full-Context on Test of Time uses the dataset's own prompt."""
    own_prompt = dataset == "tot" and memory == "full_context" and reader == "direct"
    return "dataset_prompt" if own_prompt else reader


def _passages(memory: str, dataset: str) -> tuple[str, ...]:
    if memory != "hipporag2" or dataset in SESSIONS:
        return ()
    return ("method.build.unit=message", "method.build.top_k=10")


def raw_rows(paper: PaperTable) -> Iterator[tuple[str, ...]]:
    """Yield the overrides of each row of a table; overrides of the user are not included.

    They are used only to check the user's overrides, so a row may occur twice.
    """
    datasets: dict[str, None] = {}
    for cell in paper.cells.values():
        sample = paper.header.samples.get(cell.row)
        for dataset in datasets_of(cell.measured):
            datasets[dataset] = None
            if row := paper_overrides(cell.measured, dataset, sample):
                yield row
    for dataset in datasets:
        yield (f"dataset={dataset}", *paper_models())
        yield from (row.overrides for row in llm_free_rows(dataset))
