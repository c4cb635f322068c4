"""Serve the pages of `remem view` on the loopback interface."""

from urllib.parse import unquote

from remem.errors import UsageError
from remem.reports.html.site import LIVE, Site
from remem.serve.http_handler import EVERYTHING
from remem.serve.http_messages import JSON, Reply, Request, RequestError
from remem.serve.server import LoopbackServer

HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


def site_server(site: Site, port: int) -> LoopbackServer:
    """Return a server of all pages of a site.

    Args:
        site: The site.
        port: The port; 0 chooses a free one.
    """

    def answer(request: Request) -> Reply:
        path = unquote(request.path).removeprefix("/")
        try:
            content = site.page(path)
        except (UsageError, ValueError, OSError) as error:
            raise RequestError(409, f"this page cannot be made: {error}") from error
        if content is None:
            raise RequestError(404, f"there is no page {path!r}; the list of runs is at /")
        kind = JSON if path == LIVE else "text/html; charset=utf-8"
        return Reply(content, headers=HEADERS, content_type=kind)

    return LoopbackServer({("GET", EVERYTHING): answer}, port=port)
