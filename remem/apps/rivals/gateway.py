"""`remem serve gateway`: let other programs use a model and an embedder."""

from typing import Annotated

import typer

from remem.cli import serve
from remem.cli.arguments import Overrides


def gateway(
    overrides: Overrides = None,
    port: Annotated[int, typer.Option(help="port; 0 chooses a free one")] = 8002,
) -> None:
    """Lend a model and an embedder to other programs, over OpenAI's protocol.

    Example: remem serve gateway llm=loopback-stub embedder=hashing --port 8002
    """
    from remem.apps.rivals.gateway_server import Gateway
    from remem.config.instantiation import check_targets, instantiate_checked
    from remem.config.run_config import compose_config, run_config
    from remem.errors import UsageError

    config = run_config(compose_config(overrides or []))
    llm, embedder = config.settings.llm, config.settings.embedder
    if llm.build is None:
        raise UsageError(f"llm={llm.name} is not a model; to see the models: remem list llm")
    for group, build in (("llm", llm.build), ("embedder", embedder.build)):
        check_targets(group, build, config.packages)
    server = Gateway(
        instantiate_checked(llm.build), instantiate_checked(embedder.build), llm.name, port
    )
    message = f"model {llm.name}, embedder {embedder.name}: {server.url}/v1"
    message += f"; usage: {server.url}/usage; key: {server.token}"
    serve.serve_until_interrupt(server, message)
