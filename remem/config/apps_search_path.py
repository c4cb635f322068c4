"""Hydra's search path: the `conf` of each app, behind ours and before the folders of users."""

from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.plugins import Plugins
from hydra.plugins.search_path_plugin import SearchPathPlugin

from remem.config.conf_files import conf_folder, conf_folders


class ConfOfApps(SearchPathPlugin):
    """Adds the `conf` of each app to the folders that Hydra searches."""

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        """Append the folders."""
        for folder in conf_folders():
            if folder != conf_folder():
                search_path.append("remem", f"file://{folder}")


def search_apps() -> None:
    """Let Hydra search the `conf` of each app from now on."""
    Plugins.instance().register(ConfOfApps)
