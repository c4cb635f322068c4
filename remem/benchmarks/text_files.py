"""The texts of a generator: YAML files next to its code, read into the types that it works with."""

from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def read_texts(file: Path, kind: type[T]) -> T:
    """Return what a file holds, checked against a type.

    Raises:
        ValueError: The file is not of that type; pydantic's error, which names the place.
    """
    import yaml
    from pydantic import TypeAdapter

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml is ten times as fast
    return TypeAdapter(kind).validate_python(loader(file.read_bytes()).get_single_data())
