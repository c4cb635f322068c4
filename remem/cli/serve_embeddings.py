"""`remem serve-embeddings`: an embedder as a server."""

from typing import Annotated

import typer

from remem.cli import serving
from remem.cli.override_completion import Overrides

KEY = "api_key_variable"


def serve_embeddings(
    overrides: Overrides = None,
    port: Annotated[int, typer.Option(help="port; 0 takes a free one")] = 8001,
) -> None:
    """Serve an embedder as /v1/embeddings on this machine.

    A run uses it with embedder=served. /v1/models says which model and revision is served.

    The server asks for no token, so it refuses embedders that send your key: see remem gateway.

    Example: remem serve-embeddings embedder=hashing --port 8001
    """
    from remem.config.instantiation import built, check_targets, nodes
    from remem.config.run_config import compose_config, run_config
    from remem.embed.served_encoder import ServedEncoder
    from remem.errors import UsageError
    from remem.serve.embedding_routes import embedding_routes
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
            f"gateway, which asks for a token"
        )
    served = ServedEncoder(name, identity.model or "", identity.revision or "")
    server = LoopbackServer(embedding_routes(built(build), served), port=port)
    serving.serve_until_interrupt(server, f"embedder {name}: {server.url}/v1")
