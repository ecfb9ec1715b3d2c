"""Each page asks the database a bounded number of times, however much there is: counted over all of them."""

from starlette.testclient import TestClient

from app.dashboard.app import ROUTERS
from tests.api.conftest import World
from tests.dashboard.conftest import Browser
from tests.support.dashboard_pages import find_pages
from tests.support.sent_statements import sent_statements

MOST = 24
"""Statements of one page, with those that open its transactions: two for each, one more for a space."""
# Pages that need more, with what for.
MORE = {
    # Counts by doing it and taking it back: more where values, merges, ties of names or vectors go with it.
    "/dashboard/spaces/{space_id}/documents/{document_id}/delete": 60,
}


def counts(http: TestClient) -> dict[str, int]:
    """The statements of each page that links lead to, by its route. A first look may work something out."""

    def fetch(path: str) -> tuple[int, str, str]:
        answer = http.get(path, follow_redirects=True)
        return answer.status_code, answer.headers.get("content-type", ""), answer.text

    found = {}
    for route, path in find_pages(fetch).items():
        with sent_statements() as sent:
            assert fetch(path)[0] == 200
        found[route] = len(sent)
    return found


def test_every_page_asks_a_bounded_number_of_times(world: World, admin: Browser) -> None:
    found = counts(admin.http)
    assert len(found) > len(ROUTERS)
    too_many = {route: count for route, count in found.items() if count > MORE.get(route, MOST)}
    assert too_many == {}, sorted(found.items(), key=lambda route_and_count: -route_and_count[1])
