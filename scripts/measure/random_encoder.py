"""Batch embedding with random weights in the architecture of NV-Embed-v2 (7B)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from measure.device import Device, Precision
from measure.line import Line, Sample

INSTALL = "make bench-gpu TORCH=torch, or: pip install 'remem[local]'"
REPEATS = 5
USED = 0.6
"""Share of the free memory that weights may use."""


@dataclass(frozen=True, slots=True)
class Encoder:
    """The size of an encoder with Mistral's architecture, and of its input."""

    hidden: int
    inner: int
    layers: int
    heads: int
    key_value_heads: int
    precision: Precision
    texts: int
    tokens: int
    """Tokens of each text."""

    @property
    def layer_weights(self) -> int:
        """Return the number of weights in a layer: attention, then three matrices."""
        key_value = self.hidden * self.key_value_heads // self.heads
        return 2 * self.hidden * (self.hidden + key_value) + 3 * self.hidden * self.inner

    @property
    def operations(self) -> float:
        """Return the number of multiplications of a batch."""
        attended = 2 * self.tokens * self.hidden
        return 2.0 * self.layers * self.texts * self.tokens * (self.layer_weights + attended)


SEVEN_BILLION = Encoder(4096, 14336, 32, 32, 8, "bfloat16", texts=16, tokens=512)
SMALL = Encoder(256, 896, 2, 4, 2, "float32", texts=4, tokens=64)
VOCABULARY = 32_000


def measure_encoder(device: Device, encoder: Encoder) -> Iterator[Line]:
    """Time the embedding of a batch, compared with matrix products only."""
    name = f"{device.name}: a batch of {encoder.texts} x {encoder.tokens} tokens embedded"
    if find_spec("transformers") is None:
        yield Line(name, "s", Sample(0, 0, 0, 0), "its matmul", note=INSTALL)
        return
    shown = _fitting(device, encoder)
    model, tokens = _model(device, shown), _tokens(device, shown)
    embed = partial(_embedded, model, tokens)
    taken = [device.seconds(embed) for _ in range(REPEATS + 1)][1:]
    ours = Sample.of(taken)
    pace = shown.texts * shown.tokens / ours.median
    billions = shown.layers * shown.layer_weights / 1e9
    yield Line(
        name=name,
        unit="s",
        ours=ours,
        against=f"its matmul in {shown.precision}, {device.library}",
        peer=device.multiply_seconds(shown.operations, shown.precision),
        times_less=True,
        note=f"{pace:,.0f} tokens/s, {shown.layers} layers of {encoder.layers}, {billions:.3g}e9 "
        f"random weights, transformers {version('transformers')}; the ratio is the share",
    )


def _fitting(device: Device, encoder: Encoder) -> Encoder:
    """Leave out layers that do not fit; the speed of the others is representative."""
    size = 2 if encoder.precision == "bfloat16" else 4
    room = int(USED * device.free_bytes() / (size * encoder.layer_weights))
    return replace(encoder, layers=max(1, min(encoder.layers, room)))


def _model(device: Device, encoder: Encoder) -> Any:
    import torch
    from transformers import AutoModel, MistralConfig

    config = MistralConfig(
        vocab_size=VOCABULARY,
        hidden_size=encoder.hidden,
        intermediate_size=encoder.inner,
        num_hidden_layers=encoder.layers,
        num_attention_heads=encoder.heads,
        num_key_value_heads=encoder.key_value_heads,
        use_cache=False,
    )
    with torch.device(device.name):
        return AutoModel.from_config(config, dtype=getattr(torch, encoder.precision)).eval()


def _tokens(device: Device, encoder: Encoder) -> Any:
    import torch

    shape = (encoder.texts, encoder.tokens)
    return torch.randint(VOCABULARY, shape, device=device.name)


def _embedded(model: Any, tokens: Any) -> Any:
    """Return unit vectors on the host: the mean over tokens, like NV-Embed's pooling."""
    import torch

    with torch.inference_mode():
        states = model(input_ids=tokens).last_hidden_state
        return torch.nn.functional.normalize(states.mean(dim=1).float(), dim=1).cpu().numpy()
