"""Apps: optional packages for what goes beyond remem's mission; each can be removed.

An app is a package in this folder. The docstring of its `__init__.py` says what it is for, and
`VERBS` there has its commands with their help, by group: `remem log ask` is the function `ask` in
the module `ask` of the app. The files in its folder `conf` are choices like those of our own
`conf`, and those in `templates` are for its pages. Its tests are in `tests/apps/<name>`, its pages
in `docs/apps/<name>`. `rm -r` of these three folders removes it.

Nothing outside of an app imports it, and an app imports no other.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

from remem.files.shipped import app_folders


@dataclass(frozen=True, slots=True)
class AppVerb:
    """A command of an app: its name, help and group, what the app is for, and its package."""

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
