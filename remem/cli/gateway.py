"""`remem gateway`: a model and an embedder, lent to other programs."""

from typing import Annotated

import typer

from remem.cli import serving


def gateway(
    overrides: Annotated[list[str] | None, typer.Argument(help="Hydra overrides")] = None,
    port: Annotated[int, typer.Option(help="port; 0 takes a free one")] = 8002,
) -> None:
    """Lend a model and an embedder to other programs, over OpenAI's protocol.

    Example: remem gateway llm=loopback-stub embedder=hashing --port 8002
    """
    from remem.config.instantiation import OURS, UsageError, built, check_targets
    from remem.config.run_config import compose_config, run_config
    from remem.serve.gateway import Gateway

    resolved = run_config(compose_config(overrides or [])).resolved
    packages = (*OURS, *resolved["run"]["packages"])
    llm, embedder = resolved["llm"], resolved["embedder"]
    if "build" not in llm:
        raise UsageError(f"llm={llm['name']} is not a model; choose another one: remem list llm")
    for group, chosen in (("llm", llm), ("embedder", embedder)):
        check_targets(group, chosen["build"], packages)
    name = str(llm["name"])
    server = Gateway(built(llm["build"]), built(embedder["build"]), name, port)
    message = f"model {name}, embedder {embedder['name']}: {server.url}/v1"
    message += f"; usage: {server.url}/usage; key: {server.token}"
    serving.serve_until_interrupt(server, message)
