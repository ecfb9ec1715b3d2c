"""`ETag` and 304 on what is read; `Deprecation` on routes that will go."""

import secrets
from datetime import date

import pytest
from fastapi import APIRouter, FastAPI
from starlette.testclient import TestClient

from app.api.protocol.deprecation import mark_deprecated
from app.api.protocol.route import ApiRoute
from tests.api.conftest import Account, World


@pytest.mark.parametrize(
    "path", ["{space}", "{space}/documents/{document}", "{space}/graph/nodes/{node}", "/v1/spaces"]
)
def test_who_has_the_answer_already_gets_304(world: World, path: str) -> None:
    url = path.format(space=world.a.space, document=world.a.document_id, node=world.a.node_id)
    first = world.http.get(url, headers=world.a.bearer())
    tag = first.headers["etag"]
    assert first.headers["cache-control"] == "private, no-cache"
    for given in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
        again = world.http.get(url, headers={**world.a.bearer(), "if-none-match": given})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        assert again.headers["x-request-id"]
    other = world.http.get(url, headers={**world.a.bearer(), "if-none-match": '"other"'})
    assert (other.status_code, other.content) == (200, first.content)


def test_a_change_changes_the_etag(world: World, guest: Account) -> None:
    tags = []
    for words in ("one", "two"):
        world.http.patch(guest.space, headers=guest.bearer(), json={"description": words})
        tags.append(world.http.get(guest.space, headers=guest.bearer()).headers["etag"])
    last = world.http.get(guest.space, headers={**guest.bearer(), "if-none-match": tags[0]})
    assert (last.status_code, last.json()["description"]) == (200, "two")
    assert tags[0] != tags[1]


def test_a_tag_opens_nothing_for_another(world: World) -> None:
    tag = world.http.get(world.a.space, headers=world.a.bearer()).headers["etag"]
    stranger = world.http.get(world.a.space, headers={**world.b.bearer(), "if-none-match": tag})
    assert stranger.status_code == 404
    assert "etag" not in stranger.headers


def test_no_other_response_has_an_etag(world: World) -> None:
    assert "etag" not in world.http.get("/healthz").headers
    missing = world.http.get(f"{world.a.space}/documents/{secrets.token_hex(16)}", headers=world.a.bearer())
    assert "etag" not in missing.headers
    made = world.http.post(f"{world.a.space}/retrieve", headers=world.a.bearer(), json={"query": "Ingres"})
    assert "etag" not in made.headers


def test_a_route_that_will_go_says_so_in_headers_and_description() -> None:
    router = APIRouter(route_class=ApiRoute)

    @router.get(
        "/old",
        **mark_deprecated(
            deprecation_date=date(2030, 1, 1), sunset_date=date(2031, 1, 1), successor="/v2/new"
        ),
    )
    async def old() -> dict[str, str]:
        return {}

    app = FastAPI()
    app.include_router(router)
    answer = TestClient(app).get("/old")
    assert answer.headers["deprecation"] == "@1893456000"
    assert answer.headers["sunset"] == "Wed, 01 Jan 2031 00:00:00 GMT"
    assert answer.headers["link"] == '</v2/new>; rel="successor-version"'
    assert app.openapi()["paths"]["/old"]["get"]["deprecated"] is True
