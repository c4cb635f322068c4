"""`remem serve-stub`: a stub in place of a language model."""

from typing import TYPE_CHECKING, Annotated

import typer

from remem.cli import serving
from remem.serve.stub.faults import CONTENT, TRANSPORT, FaultPlan

if TYPE_CHECKING:
    from remem.serve.stub.extraction import Size


KNOWN_FAULTS = ", ".join((*TRANSPORT, *CONTENT))


def serve_stub(
    *,
    port: Annotated[int, typer.Option(help="port; 0 takes a free one")] = 8123,
    latency_ms: Annotated[float, typer.Option(min=0, help="shortest duration of a call")] = 0,
    paper_size: Annotated[
        bool, typer.Option(help="extract 27 gists and 28 facts from each session")
    ] = False,
    faults: Annotated[str, typer.Option(help=f"faults, separated by commas: {KNOWN_FAULTS}")] = "",
    fault_fraction: Annotated[
        float, typer.Option(min=0, max=1, help="share of the requests that meet a fault")
    ] = 0.1,
    fault_tries: Annotated[
        int, typer.Option(min=0, help="how many tries fail before one succeeds")
    ] = 1,
) -> None:
    """Serve a stub of a language model, to rehearse runs at no cost.

    A run uses it with llm=loopback-stub.

    Example: remem serve-stub --latency-ms 50 --faults 429,prose
    """
    from remem.errors import UsageError
    from remem.serve.stub.stub import STUB_MODEL, StubServer, StubSettings

    size: Size = "paper" if paper_size else "plain"
    kinds = tuple(filter(None, map(str.strip, faults.split(","))))
    try:
        plan = FaultPlan(kinds, fault_fraction, fault_tries)
    except ValueError as error:
        raise UsageError(str(error)) from error
    server = StubServer(StubSettings(latency_ms / 1000, size, plan), port=port)
    message = f"model {STUB_MODEL}: {server.base_url}; counts: {server.url}/counts"
    serving.serve_until_interrupt(server, message)
