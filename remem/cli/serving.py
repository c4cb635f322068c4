"""The servers that run until Ctrl-C: embeddings, a small model, the stub and the gateway."""

import threading
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING, Annotated

import typer

from remem.reports.terminal.console import say
from remem.serve.stub.faults import CONTENT, TRANSPORT, FaultPlan

if TYPE_CHECKING:
    from remem.serve.stub.extraction import Size

KEY = "api_key_variable"
KNOWN_FAULTS = ", ".join((*TRANSPORT, *CONTENT))


def serve_embeddings(
    overrides: Annotated[list[str] | None, typer.Argument(help="Hydra overrides")] = None,
    port: Annotated[int, typer.Option(help="0 takes a free one")] = 8001,
) -> None:
    """Serve an embedder as /v1/embeddings on this machine's loopback; embedder=served asks it.

    It asks for no token, so an embedder that sends a key of yours is refused: see remem gateway.

    Example: remem serve-embeddings embedder=hashing --port 8001
    """
    from remem.config.instantiation import UsageError, built, check_targets, nodes
    from remem.config.run_config import compose_config, run_config
    from remem.serve.embedding_routes import embedding_routes
    from remem.serve.server import LoopbackServer

    config = run_config(compose_config(overrides or []))
    name, build = config.settings.embedder.name, config.settings.embedder.build
    check_targets("embedder", build, config.packages)
    keys = sorted({str(node[KEY]) for node in nodes(build) if node.get(KEY) is not None})
    if keys:
        raise UsageError(
            f"embedder={name} sends the key in {keys[0]}, and this server asks for no token: every "
            f"user of this machine could spend it; remem gateway lends this embedder with a token"
        )
    server = LoopbackServer(embedding_routes(built(build), name), port=port)
    _serve(server, f"embedder {name}: {server.url}/v1")


def serve_model(
    overrides: Annotated[list[str] | None, typer.Argument(help="Hydra overrides")] = None,
    port: Annotated[int, typer.Option(help="0 takes a free one")] = 8003,
) -> None:
    """Serve a small language model as /v1/chat/completions on this machine's loopback.

    Example: remem serve-model llm=smollm2 --port 8003
    """
    from remem.config.instantiation import OURS, UsageError, built, check_targets
    from remem.config.run_config import compose_config, run_config

    llm = run_config(compose_config(["llm=smollm2", *(overrides or [])])).settings.llm
    endpoint = llm.chat_model.endpoint
    if llm.build is None or endpoint.server is None:
        raise UsageError(f"llm={llm.name} cannot be served here; choose smollm2 or gguf")
    check_targets("llm", llm.build["endpoint"], OURS)
    served = built(endpoint.server).start(endpoint.model, port)
    _serve(served, f"model {endpoint.model}: {served.url}/v1")


def gateway(
    overrides: Annotated[list[str] | None, typer.Argument(help="Hydra overrides")] = None,
    port: Annotated[int, typer.Option(help="0 takes a free one")] = 8002,
) -> None:
    """Lend a model and an embedder to memories of other programs, as OpenAI's protocol has them.

    Example: remem gateway llm=loopback-stub embedder=hashing --port 8002
    """
    from remem.config.instantiation import UsageError, built, check_targets
    from remem.config.run_config import compose_config, run_config
    from remem.serve.gateway import Gateway

    config = run_config(compose_config(overrides or []))
    llm, embedder = config.settings.llm, config.settings.embedder
    if llm.build is None:
        raise UsageError(f"llm={llm.name} is no model to ask; choose another of conf/llm")
    for group, build in (("llm", llm.build), ("embedder", embedder.build)):
        check_targets(group, build, config.packages)
    server = Gateway(built(llm.build), built(embedder.build), llm.name, port)
    told = f"model {llm.name}, embedder {embedder.name}: {server.url}/v1"
    _serve(server, f"{told}, its account: {server.url}/usage, its key: {server.token}")


def serve_stub(
    *,
    port: Annotated[int, typer.Option(help="0 takes a free one")] = 8123,
    latency_ms: Annotated[float, typer.Option(min=0, help="how long a call takes at least")] = 0,
    paper_size: Annotated[
        bool, typer.Option(help="extract 27 gists and 28 facts of each session")
    ] = False,
    faults: Annotated[str, typer.Option(help=f"what goes wrong, by commas: {KNOWN_FAULTS}")] = "",
    fault_fraction: Annotated[
        float, typer.Option(min=0, max=1, help="the share of the requests that meet a fault")
    ] = 0.1,
    fault_tries: Annotated[int, typer.Option(min=0, help="how many first tries fail")] = 1,
) -> None:
    """Serve a stub of a language model, to rehearse runs of llm=loopback-stub without a cost.

    Example: remem serve-stub --latency-ms 50 --faults 429,prose
    """
    from remem.config.instantiation import UsageError
    from remem.serve.stub.stub import STUB_MODEL, StubServer, StubSettings

    size: Size = "paper" if paper_size else "plain"
    kinds = tuple(filter(None, map(str.strip, faults.split(","))))
    try:
        plan = FaultPlan(kinds, fault_fraction, fault_tries)
    except ValueError as error:
        raise UsageError(str(error)) from error
    server = StubServer(StubSettings(latency_ms / 1000, size, plan), port=port)
    _serve(server, f"model {STUB_MODEL}: {server.base_url}, its account: {server.url}/counts")


def _serve(server: AbstractContextManager[object], told: str) -> None:
    """Serve until Ctrl-C, which is how a server is ended: no error."""
    with server, suppress(KeyboardInterrupt):
        say(f"{told} (Ctrl-C ends it)")
        threading.Event().wait()
