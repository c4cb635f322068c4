"""The process that serves a GGUF file: llama.cpp's OpenAI-compatible server, on 127.0.0.1.

The process ends when its standard input is closed, which also happens if its parent crashes or is
killed.
"""

import json
import os
import sys
from dataclasses import asdict, dataclass

from remem.files.json_text import json_value

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class LlamaSettings:
    """The settings of llama.cpp."""

    path: str
    model: str
    context_tokens: int
    threads: int
    flash_attention: bool
    cache_prompt: bool
    port: int

    def text(self) -> str:
        """Return the settings as one line of JSON."""
        return json.dumps(asdict(self))


def serve(settings: LlamaSettings) -> None:
    """Load the model, print the server's address, and serve until standard input is closed."""
    from xllamacpp import CommonParams, Server, llama_flash_attn_type

    params = CommonParams()
    params.model.path = settings.path
    params.model_alias = {settings.model}
    params.hostnames = [HOST]
    params.port = settings.port
    params.n_ctx = settings.context_tokens
    params.n_parallel = 1  # replies to requests at the same time may depend on one another
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings.threads
    params.flash_attn_type = (
        llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_ENABLED
        if settings.flash_attention
        else llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    )
    params.cache_prompt = settings.cache_prompt
    params.cache_ram_mib = 0  # else it keeps the states of earlier prompts, up to 8 GiB
    params.n_gpu_layers = 0  # another device gives other replies
    params.verbosity = 1  # errors alone
    params.ui = params.endpoint_slots = False  # no pages are needed
    params.cors_origins = ""  # other sites may not ask
    server = Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)  # at once, whatever the server's own threads are doing


if __name__ == "__main__":
    serve(LlamaSettings(**json_value(sys.argv[1])))
