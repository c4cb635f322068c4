"""Rehearse a table that is paid for: the stub answers under the names of its models, at no cost."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from remem.config.config_dir import TRUST
from remem.llm.endpoint import AS_STUB, STUB
from remem.reports.terminal.console import say

FOLDER = "rehearsal"
"""The folder of the results that has those of rehearsals, with a call store of their own."""
FAILING = 0.02
"""The share of the calls that fail at their first try."""
STAND_INS = ("prompts=stand_in", "judge=llm")


@contextmanager
def rehearsed(
    overrides: Sequence[str], *, wanted: bool, of_paper: bool, own_prompts: bool = False
) -> Iterator[list[str]]:
    """Serve the stub if a rehearsal is wanted, and yield the overrides of all rows.

    Replies have the paper's size. In a table of the paper, the stub also embeds, and stand-ins take
    the place of released prompts that are not fetched. The user's choices go before these.

    Args:
        overrides: The user's overrides.
        wanted: Whether to rehearse; else the overrides are yielded as they are.
        of_paper: Whether the table is one of the paper.
        own_prompts: Whether its rows have our prompts.
    """
    if not wanted:
        yield list(overrides)
        return
    from remem.files.live_process import peak_rss_mib
    from remem.serve.stub.faults import FaultPlan
    from remem.serve.stub.stub import StubServer, StubSettings

    results, prompts = _results_and_prompts(overrides)
    kept = [change for change in overrides if not change.startswith("logger")]
    chosen = dict(change.partition("=")[::2] for change in kept)
    replaced = of_paper and not own_prompts and not {"prompts", "judge"} <= chosen.keys()
    stand_ins = _stand_ins(prompts) if replaced else ()
    faults = FaultPlan(("429", "500", "cut"), FAILING)
    begun = time.perf_counter()
    with StubServer(StubSettings(size="paper", faults=faults, poses=True)) as server:
        yield [
            *kept,
            AS_STUB,  # what comes behind it is not shown in commands
            *(change for change in stand_ins if change.partition("=")[0] not in chosen),
            *_models("llm", server.base_url),
            *(_models("judge_llm", server.base_url) if "llm@judge_llm" in chosen else ()),
            *(_encoder(kept, server.base_url) if of_paper else ()),
            f"paths.results={results / FOLDER}",
            f"paths.prompts={prompts}",
        ]
        counts = server.counts
    if not counts.total.requests:
        return
    say(
        f"Rehearsed in {(time.perf_counter() - begun) / 60:.1f} minutes, with at most "
        f"{peak_rss_mib():,} MiB: {counts.total.requests:,} requests, of which "
        f"{sum(counts.faults.values()):,} failed",
        err=True,
    )


def _models(group: str, base_url: str) -> tuple[str, ...]:
    """Return the overrides that let the stub answer for the model of a group."""
    endpoint = f"{group}.build.endpoint"
    return (
        f"{endpoint}.base_url={base_url}",
        f"{endpoint}.key_variable=REMEM_STUB_KEY",
        f"{endpoint}.known_as={STUB}",
    )


def _encoder(overrides: Sequence[str], base_url: str) -> tuple[str, ...]:
    """Return the overrides that let the stub embed, unless the chosen embedder asks no server."""
    from remem.config.instantiation import nodes
    from remem.config.run_config import compose_config, run_config
    from remem.serve.stub.stub import DIMENSION

    needed = ("embedder", "hydra.searchpath=", TRUST)
    composed = compose_config([change for change in overrides if change.startswith(needed)])
    build = run_config(composed).settings.embedder.build
    is_chosen = any(change.startswith("embedder=") for change in overrides)
    if is_chosen and not any("base_url" in node for node in nodes(build)):
        return ()
    return (
        "embedder=served",
        f"embedder.build.embedder.base_url={base_url}",
        f"embedder.build.embedder.dimension={DIMENSION}",
    )


def _results_and_prompts(overrides: Sequence[str]) -> tuple[Path, Path]:
    from remem.config.run_config import compose_config

    places = [change for change in overrides if change.startswith("paths.")]
    paths = compose_config(places).paths
    return Path(paths.results), Path(paths.prompts)


def _stand_ins(folder: Path) -> tuple[str, ...]:
    """Return the overrides that choose the stand-ins, unless all released prompts are fetched."""
    from remem.config.run_config import compose_config, run_config
    from remem.tables.paper.rows import paper_models

    released = [change for change in paper_models() if change.startswith(("prompts", "judge"))]
    asking = ("method=remem_i", "extractor=llm", "planner=llm", "reader=direct")
    stub = ("llm=loopback-stub", f"paths.prompts={folder}")
    config = run_config(compose_config([*released, *asking, *stub]))
    try:
        config.prompts, config.judge_prompt  # noqa: B018  reads them
    except FileNotFoundError:
        say(
            "remem: the released prompts are not fetched, so this rehearsal has stand-ins of their "
            "length (remem fetch-prompts released; remem fetch-prompts mem0-judge)",
            err=True,
        )
        return STAND_INS
    return ()
