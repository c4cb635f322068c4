"""Read YAML files of limited size; the only other module that parses YAML is `config_dir`."""

from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from remem.files.opened import read_file, read_text

if TYPE_CHECKING:
    from omegaconf import DictConfig, ListConfig

MOST_BYTES = 1_000_000
"""Maximum size of a file; a deeply nested file of 10 MB takes minutes to read."""

Kind = TypeVar("Kind")


def load_yaml(path: Path) -> "DictConfig | ListConfig":
    """Return a YAML file as an OmegaConf object, which resolves interpolations on access.

    Raises:
        ValueError: The file is too large or not UTF-8.
        YAMLError: The file is not YAML.
    """
    return parse_yaml(read_text(path, MOST_BYTES))


def parse_yaml(content: str) -> "DictConfig | ListConfig":
    """Return YAML as an OmegaConf object, which resolves interpolations on access.

    Raises:
        YAMLError: The content is not YAML.
    """
    from omegaconf import OmegaConf

    return OmegaConf.load(StringIO(content))


def read_plain_yaml(path: Path) -> Any:
    """Return the content of a YAML file, with interpolations unresolved.

    Raises:
        ValueError: The file is not plain YAML, or is too large.
    """
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException
    from yaml import YAMLError

    content = read_text(path, MOST_BYTES)
    try:
        return OmegaConf.to_container(OmegaConf.load(StringIO(content)))
    except (
        *(YAMLError, OmegaConfBaseException, OSError, ValueError, TypeError),
        *(AssertionError, AttributeError, RecursionError),  # of omegaconf, for odd keys and values
    ) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise ValueError(f"{path} is not plain YAML: {reason}") from error


def read_texts(path: Path, kind: type[Kind]) -> Kind:
    """Read a YAML file of this project, and validate its content as type `kind`.

    Raises:
        ValueError: The content does not match the type; pydantic's message names the wrong key.
    """
    import yaml
    from pydantic import TypeAdapter

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml is ten times as fast
    content = loader(read_file(path, MOST_BYTES)).get_single_data()
    return TypeAdapter(kind).validate_python(content)
