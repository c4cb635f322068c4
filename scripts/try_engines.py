"""Time embedded vector engines: `python scripts/try_engines.py milvus qdrant lancedb`.

For docs/larger_memory.md; needs pip install milvus-lite pymilvus, qdrant-client, lancedb pyarrow.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from measure.beside import timed
from measure.workload import unit_vectors

from remem.protocols import Vectors

SIZE, DIMENSION, BATCH, CANDIDATES = 10_000, 384, 1000, 42
HALF = list(range(0, SIZE, 2))


@dataclass(frozen=True, slots=True)
class Searches:
    """An engine with the vectors: a plain search, and a search among half of the positions."""

    plain: Callable[[Vectors], object]
    half: Callable[[Vectors], object]


def milvus(folder: str, rows: Vectors) -> Searches:
    """Fill a collection of Milvus Lite."""
    package: Any = import_module("pymilvus")
    client = package.MilvusClient(f"{folder}/milvus.db")
    client.create_collection("x", dimension=DIMENSION, metric_type="IP", index_type="FLAT")
    for at in range(0, SIZE, BATCH):
        client.insert("x", [{"id": at + i, "vector": rows[at + i]} for i in range(BATCH)])
    client.flush("x")

    def search(condition: str, query: Vectors) -> object:
        return client.search("x", data=[query], limit=CANDIDATES, filter=condition)

    return Searches(partial(search, ""), partial(search, f"id in {HALF}"))


def qdrant(folder: str, rows: Vectors) -> Searches:
    """Fill a collection of Qdrant's local mode, in memory."""
    package: Any = import_module("qdrant_client")
    client, models = package.QdrantClient(":memory:"), package.models
    shape = models.VectorParams(size=DIMENSION, distance=models.Distance.DOT)
    client.create_collection("x", vectors_config=shape)
    for at in range(0, SIZE, BATCH):
        ids = list(range(at, at + BATCH))
        client.upsert("x", models.Batch(ids=ids, vectors=rows[at : at + BATCH].tolist()))

    def search(chosen: Any, query: Vectors) -> object:
        return client.query_points("x", query=query, limit=CANDIDATES, query_filter=chosen)

    half = models.Filter(must=[models.HasIdCondition(has_id=HALF)])
    return Searches(partial(search, None), partial(search, half))


def lancedb(folder: str, rows: Vectors) -> Searches:
    """Fill a table of LanceDB."""
    arrow: Any = import_module("pyarrow")
    vectors = arrow.FixedSizeListArray.from_arrays(arrow.array(rows.ravel()), DIMENSION)
    content = arrow.table({"position": np.arange(SIZE), "vector": vectors})
    table = import_module("lancedb").connect(folder).create_table("x", content)

    def search(condition: str, query: Vectors) -> object:
        asked = table.search(query).distance_type("dot").limit(CANDIDATES)
        return (asked.where(condition, prefilter=True) if condition else asked).to_arrow()

    condition = f"position in ({','.join(map(str, HALF))})"
    return Searches(partial(search, ""), partial(search, condition))


ENGINES = {"milvus": milvus, "qdrant": qdrant, "lancedb": lancedb}


def main() -> None:
    """Time the engines in the arguments."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engines", nargs="+", choices=sorted(ENGINES))
    rows = unit_vectors(SIZE, DIMENSION, np.random.default_rng(7))
    for name in parser.parse_args().engines:
        with tempfile.TemporaryDirectory() as folder:
            found = ENGINES[name](str(Path(folder)), rows)
            for what, search in (("all", found.plain), ("half, scattered", found.half)):
                taken = [timed(partial(search, rows[at]), time.perf_counter) for at in range(5)]
                print(f"{name}, {what} of {SIZE:,} x {DIMENSION}: {1000 * np.median(taken):.1f} ms")


if __name__ == "__main__":
    main()
