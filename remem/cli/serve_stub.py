"""`remem serve-stub`: a stub in place of a language model."""

from typing import TYPE_CHECKING, Annotated

import typer

from remem.cli import serving

if TYPE_CHECKING:
    from remem.serve.stub.extraction import Size


def serve_stub(
    *,
    port: Annotated[int, typer.Option(help="port; 0 takes a free one")] = 8123,
    paper_size: Annotated[
        bool, typer.Option(help="extract 27 gists and 28 facts from each session")
    ] = False,
) -> None:
    """Serve a stub of a language model, to rehearse runs at no cost.

    A run uses it with llm=loopback-stub.

    Example: remem serve-stub --port 8200
    """
    from remem.serve.stub.stub import STUB_MODEL, StubServer, StubSettings

    size: Size = "paper" if paper_size else "plain"
    server = StubServer(StubSettings(size=size), port=port)
    message = f"model {STUB_MODEL}: {server.base_url}; counts: {server.url}/counts"
    serving.serve_until_interrupt(server, message)
