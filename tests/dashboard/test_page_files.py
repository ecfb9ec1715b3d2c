"""What pages load: kept by browsers under the version of all of it, compressed, and announced in the head."""

import gzip
import re

from starlette.testclient import TestClient

from app.dashboard import files
from app.main import create_app
from tests.api.conftest import World
from tests.dashboard.conftest import BASE, Browser

SCRIPT = "js/graph/main.js"


def client(world: World) -> TestClient:
    return TestClient(create_app(world.citegraph), base_url=BASE)


def test_a_file_of_this_version_is_kept_and_any_other_is_asked_for_again(world: World) -> None:
    http = client(world)
    written = (files.STATIC_FOLDER / SCRIPT).read_text("utf-8")
    kept = http.get(files.build_file_address(SCRIPT))
    assert kept.text == written
    assert "immutable" in kept.headers["cache-control"]
    for address in (f"/dashboard/static/v-0123456789ab/{SCRIPT}", f"/dashboard/static/{SCRIPT}"):
        answer = http.get(address)
        assert answer.text == written, address
        assert answer.headers["cache-control"] == "no-cache", address
    missing = http.get(files.build_file_address("js/nothing.js"))
    assert missing.status_code == 404
    assert "immutable" not in missing.headers.get("cache-control", "")


def test_texts_are_compressed_for_whoever_takes_that(world: World) -> None:
    http = client(world)
    with http.stream("GET", files.build_file_address(SCRIPT), headers={"accept-encoding": "gzip"}) as answer:
        packed = b"".join(answer.iter_raw())
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["content-type"].startswith("text/javascript")
    assert gzip.decompress(packed) == (files.STATIC_FOLDER / SCRIPT).read_bytes()
    plain = http.get(files.build_file_address(SCRIPT), headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.headers["vary"] == "accept-encoding"


def test_nothing_outside_the_folder_is_sent(world: World) -> None:
    http = client(world)
    for path in ("../app.py", "..%2fapp.py", "%2e%2e/app.py", "v-0123456789ab/../../app.py"):
        assert http.get(f"/dashboard/static/{path}").status_code == 404, path
        assert http.get(files.build_file_address(path)).status_code == 404, path


def test_the_graph_announces_every_script_and_what_it_will_ask_for(world: World, admin: Browser) -> None:
    path = f"/dashboard/spaces/{world.a.space_id}/graph"
    page = admin.get(path)
    announced = set(re.findall(r'<link rel="modulepreload" href="([^"]+)"', page))
    needed = {
        files.build_file_address(f"js/graph/{path.name}")
        for path in (files.STATIC_FOLDER / "js/graph").glob("*.js")
    }
    assert needed <= announced
    assert f'<link rel="preload" href="{path}/data" as="fetch"' in page
    # A link that restores a view asks for another part of the graph.
    assert 'rel="preload"' not in admin.get(f"{path}?as_of=2020-01-01")
