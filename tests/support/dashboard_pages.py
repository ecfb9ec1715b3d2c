"""Every page of the dashboard, found as a visitor finds it: by its links."""

import re
from collections import deque
from collections.abc import Callable
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from fastapi.routing import APIRoute

from app.dashboard.app import ROUTERS
from app.http.authentication import DASHBOARD_PATH

Fetch = Callable[[str], tuple[int, str, str]]
"""From a path to the status, the type and the text of its answer."""
PER_ROUTE = 3
"""Addresses that are followed of one route."""


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        target = dict(attrs).get("href") if tag == "a" else None
        if target:
            self.found.append(target)


def routes() -> list[APIRoute]:
    """The routes that show something, but for the one that answers every other address."""
    found = [route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)]
    return [route for route in found if "GET" in (route.methods or ()) and "{path:path}" not in route.path]


def route_of(path: str) -> APIRoute | None:
    """The route that answers this path."""
    return next((route for route in routes() if route.path_regex.match(path)), None)


def find_pages(fetch: Fetch, start: str = DASHBOARD_PATH + "?all=1") -> dict[str, str]:
    """The first whole page of each route that links lead to, by the route's path. Raises on a broken link."""
    waiting, seen = deque([start]), {start}
    pages: dict[str, str] = {}
    followed: dict[str, int] = {}
    while waiting:
        path = waiting.popleft()
        route = route_of(urlsplit(path).path)
        if route is None:
            assert "/static/" in path, f"no page answers {path}"
            continue
        if followed.get(route.path, 0) >= PER_ROUTE:
            continue
        followed[route.path] = followed.get(route.path, 0) + 1
        status, kind, body = fetch(path)
        assert status == 200, (path, status, body[:300])
        if not kind.startswith("text/html") or "<!doctype html>" not in body[:100].lower():
            continue
        pages.setdefault(route.path, path)
        links = _Links()
        links.feed(body)
        for target in links.found:
            parts = urlsplit(urljoin(path, target))
            address = parts.path + (f"?{parts.query}" if parts.query else "")
            if not parts.netloc and parts.path.startswith(DASHBOARD_PATH) and address not in seen:
                seen.add(address)
                waiting.append(address)
    return pages


def file_name(route: str) -> str:
    """A name for the picture of a page."""
    return (
        re.sub(r"[^a-z0-9]+", "-", route.removeprefix(DASHBOARD_PATH).replace("{space_id}", "")).strip("-")
        or "start"
    )
