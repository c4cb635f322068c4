"""`remem serve`: serve an embedder or a stub language model until Ctrl-C."""

import threading
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING, Annotated

import typer

from remem.cli.arguments import Overrides
from remem.errors import UsageError
from remem.reports.terminal.console import say
from remem.serve.stub.faults import CONTENT, TRANSPORT, FaultPlan

if TYPE_CHECKING:
    from remem.serve.stub.extraction import Size

KEY = "api_key_variable"
FAULTS = ", ".join((*TRANSPORT, *CONTENT))


def serve_until_interrupt(server: AbstractContextManager[object], message: str) -> None:
    """Serve until Ctrl-C, which ends this function without an error."""
    with server, suppress(KeyboardInterrupt):
        say(f"{message} (press Ctrl-C to stop)")
        threading.Event().wait()


def embeddings(
    overrides: Overrides = None,
    port: Annotated[int, typer.Option(help="port; 0 chooses a free one")] = 8001,
) -> None:
    """Serve an embedder as /v1/embeddings on this machine.

    A run uses it with embedder=served. /v1/models names the model and the revision.

    The server asks for no token, so it refuses embedders that use your API key. For such embedders,
    use remem serve gateway, which asks for a token.

    Example: remem serve embeddings embedder=hashing --port 8001
    """
    from remem.config.instantiation import check_targets, instantiate_checked, nodes
    from remem.config.run_config import compose_config, run_config
    from remem.embed.served_encoder import ServedEncoder
    from remem.serve.embeddings import embedding_routes
    from remem.serve.server import LoopbackServer

    config = run_config(compose_config(overrides or []))
    embedder = config.settings.embedder
    name, build, identity = embedder.name, embedder.build, embedder.identity
    check_targets("embedder", build, config.packages)
    keys = sorted({str(node[KEY]) for node in nodes(build) if node.get(KEY) is not None})
    if keys:
        raise UsageError(
            f"embedder={name} sends the key in {keys[0]}, but this server asks for no token, so "
            f"every user of this machine could make calls that your key pays for; use remem "
            f"serve gateway, which asks for a token"
        )
    served = ServedEncoder(name, identity.model or "", identity.revision or "")
    server = LoopbackServer(embedding_routes(instantiate_checked(build), served), port=port)
    serve_until_interrupt(server, f"embedder {name}: {server.url}/v1")


def stub(
    *,
    port: Annotated[int, typer.Option(help="port; 0 chooses a free one")] = 8123,
    latency_ms: Annotated[float, typer.Option(min=0, help="minimum duration of a call in ms")] = 0,
    paper_size: Annotated[
        bool, typer.Option(help="extract 27 gists and 28 facts from each session")
    ] = False,
    faults: Annotated[str, typer.Option(help=f"faults, separated by commas: {FAULTS}")] = "",
    fault_fraction: Annotated[
        float, typer.Option(min=0, max=1, help="share of the requests that get a fault")
    ] = 0.1,
    fault_tries: Annotated[
        int, typer.Option(min=0, help="number of failed tries before one succeeds")
    ] = 1,
) -> None:
    """Serve a stub language model, to rehearse runs at no cost.

    A run uses it with llm=loopback-stub.

    Example: remem serve stub --latency-ms 50 --faults 429,prose
    """
    from remem.serve.stub.stub import STUB_MODEL, StubServer, StubSettings

    size: Size = "paper" if paper_size else "plain"
    kinds = tuple(filter(None, map(str.strip, faults.split(","))))
    try:
        plan = FaultPlan(kinds, fault_fraction, fault_tries)
    except ValueError as error:
        raise UsageError(str(error)) from error
    server = StubServer(StubSettings(latency_ms / 1000, size, plan), port=port)
    message = f"model {STUB_MODEL}: {server.base_url}; counts: {server.url}/counts"
    serve_until_interrupt(server, message)
