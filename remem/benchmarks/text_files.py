"""The texts of a generator: YAML files next to its code, parsed into its types."""

from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def read_texts(file: Path, kind: type[T]) -> T:
    """Return the content of a file, checked against a type.

    Raises:
        ValueError: The content does not match the type; pydantic's message names the place.
    """
    import yaml
    from pydantic import TypeAdapter

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml is ten times as fast
    return TypeAdapter(kind).validate_python(loader(file.read_bytes()).get_single_data())
