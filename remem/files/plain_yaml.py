"""Read untrusted YAML files as plain data, or raise an error with the file and the reason."""

from pathlib import Path
from typing import Any

MOST_BYTES = 1_000_000
"""Maximum size of a file; a deeply nested file of 10 MB takes minutes to read."""


def check_size(path: Path, size: int) -> None:
    """Refuse a file that would take minutes to read.

    Raises:
        ValueError: It is too large.
    """
    if size > MOST_BYTES:
        raise ValueError(
            f"{path} has {size:,} bytes; a YAML file may have up to {MOST_BYTES:,} bytes"
        )


def read_plain_yaml(path: Path) -> Any:
    """Return the content of a YAML file, with interpolations unresolved.

    Raises:
        ValueError: The file is not plain YAML, or is too large.
    """
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException
    from yaml import YAMLError

    check_size(path, path.stat().st_size)
    try:
        return OmegaConf.to_container(OmegaConf.load(path))
    except (
        *(YAMLError, OmegaConfBaseException, OSError, ValueError, TypeError),
        *(AssertionError, AttributeError, RecursionError),  # of omegaconf, for odd keys and values
    ) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise ValueError(f"{path} is not plain YAML: {reason}") from error
