"""Hydra's search path: the `conf` of each app after ours, then the folders of users.

Hydra reads the folders of users only through `CheckedFolder`, which checks each file when Hydra
reads it, and parses the same bytes. So a file cannot be replaced between its check and its use.
"""

from collections.abc import Sequence
from pathlib import Path

from hydra._internal.core_plugins.file_config_source import FileConfigSource
from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.plugins import Plugins
from hydra.plugins.config_source import ConfigLoadError, ConfigResult
from hydra.plugins.search_path_plugin import SearchPathPlugin

from remem.config.conf_files import conf_folder, conf_folders
from remem.config.config_dir import CHECKED, TRUSTED, checked_content
from remem.files.yaml_text import parse_yaml


class ConfOfApps(SearchPathPlugin):
    """Adds the `conf` of each app to the folders that Hydra searches."""

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        """Append the `conf` of each app to the search path."""
        for folder in conf_folders():
            if folder != conf_folder():
                search_path.append("remem", f"file://{folder}")


class CheckedFolder(FileConfigSource):
    """A user's folder; each file in it is checked when Hydra reads the file."""

    trusted = False

    @staticmethod
    def scheme() -> str:
        """Return the URL scheme of checked folders on the search path."""
        return CHECKED

    def load_config(self, config_path: str) -> ConfigResult:
        """Check a file, and parse the bytes that were checked.

        Raises:
            UsageError: The file has a forbidden setting.
            ConfigLoadError: There is no such file.
        """
        folder = Path(self.path)
        path = folder / self._normalize_file_name(config_path)
        if not path.exists():
            raise ConfigLoadError(f"there is no file {path}")
        text = checked_content(folder, path, trusted=self.trusted).decode()
        return ConfigResult(
            provider=self.provider,
            path=self.full_path(),
            config=parse_yaml(text),
            header=self._get_header_dict(text),  # of the entire text, as it was checked
        )


class TrustedFolder(CheckedFolder):
    """A user's folder named by `--trust-config`; its files are checked as trusted files."""

    trusted = True

    @staticmethod
    def scheme() -> str:
        """Return the URL scheme of trusted folders on the search path."""
        return TRUSTED


def prepare_search() -> None:
    """Register plugins that let Hydra search the `conf` of each app and read checked folders."""
    plugins: Sequence[type] = (ConfOfApps, CheckedFolder, TrustedFolder)
    for plugin in plugins:
        Plugins.instance().register(plugin)
