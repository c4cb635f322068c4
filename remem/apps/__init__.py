"""Apps: optional packages for purposes beyond remem's mission; each can be removed.

An app is a package in this folder. The docstring of its `__init__.py` says what the app is for, and
`VERBS` in that file maps each group to its commands and their help. For example, `remem log ask` is
the function `ask` in the module `ask` of its app. The folder `conf` of an app adds choices to
remem's own `conf`, and its folder `templates` has the templates of its pages. The tests of an app
are in `tests/apps/<name>`, and its documentation is in `docs/apps/<name>`. To remove an app, delete
its package, its tests and its documentation.

Nothing outside an app imports it, and no app imports another.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

from remem.files.shipped import app_folders


@dataclass(frozen=True, slots=True)
class AppVerb:
    """A command of an app: its name, help and group, and the purpose and package of the app."""

    name: str
    help: str
    group: str
    about: str
    package: str


def app_verbs() -> Iterator[AppVerb]:
    """Yield the commands of all apps; import only the `__init__.py` of each app."""
    for folder in app_folders():
        package = f"{__name__}.{folder.name}"
        app = import_module(package)
        about = str(app.__doc__).partition(":")[0]
        for group, verbs in app.VERBS.items():
            for name, text in verbs.items():
                yield AppVerb(name, text, group, about, package)
