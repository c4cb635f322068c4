"""`remem serve model`: a small language model as a server."""

from typing import Annotated

import typer

from remem.cli import serve
from remem.cli.arguments import Overrides


def model(
    overrides: Overrides = None,
    port: Annotated[int, typer.Option(help="port; 0 chooses a free one")] = 8003,
) -> None:
    """Serve a small language model as /v1/chat/completions on this machine.

    Example: remem serve model llm=smollm2 --port 8003
    """
    from remem.config.instantiation import OURS, check_targets, instantiate_checked
    from remem.config.run_config import compose_config, run_config
    from remem.errors import UsageError

    llm = run_config(compose_config(["llm=smollm2", *(overrides or [])])).settings.llm
    endpoint = llm.chat_model.endpoint
    if llm.build is None or endpoint.server is None:
        raise UsageError(f"llm={llm.name} cannot be served here; choose llm=smollm2 or llm=gguf")
    check_targets("llm", llm.build["endpoint"], OURS)
    served = instantiate_checked(endpoint.server).start(endpoint.model, port)
    serve.serve_until_interrupt(served, f"model {endpoint.model}: {served.url}/v1")
