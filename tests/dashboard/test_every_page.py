"""Every page in a real browser, with hostile names in it: readable for all, and no wider than a telephone.

Pages are found by their links, so that a new one is tried without a line here.
"""

import json
from uuid import uuid4

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait

from app.documents.shapes import Submission
from app.graph import service as graph
from app.graph.invalidation import service as invalidation
from app.graph.tags import service as tags
from app.graph.write.curation import service as curation
from app.tenancy.accounts import service as accounts
from app.tenancy.accounts.roles import Role
from app.tenancy.spaces import service as spaces
from tests.api.conftest import World, address, detect_communities
from tests.conftest import Home, make_home
from tests.dashboard.conftest import PASSWORD, browser_of
from tests.dashboard.test_browser import SECONDS, driver, pytestmark, see
from tests.support.dashboard_pages import find_pages, routes
from tests.support.ingest import ingest_now, text
from tests.support.needs import AXE
from tests.support.sampling import sampled

__all__ = ["address", "driver", "pytestmark"]

IMG = '"><img src=x onerror=alert(1)>'
LONG = "Overlong " + "n" * 280 + " Name"
RIGHT_TO_LEFT = "מאיר הלוי"
LONG_ADDRESS = f"{'very-long-name-' * 12}@example.org"
# Answers of scripts, parts of pages, and files: no page of their own.
NO_PAGES = ("/data", "/stream", "/names", "/around/", ".csv", "/events")
RULES = {"wcag2a", "wcag2aa", "wcag21a", "wcag21aa"}


@pytest.fixture(scope="module")
def hostile(world: World) -> Home:
    """A space whose tenant, name, documents, nodes and tags are what an attacker or another script writes."""
    database = world.citegraph.database
    home = make_home(
        database, f"{IMG} {RIGHT_TO_LEFT} {uuid4().hex[:6]}", f"{IMG} {RIGHT_TO_LEFT} {LONG[:150]}"
    )
    names = [IMG, LONG, RIGHT_TO_LEFT, "Ada Moss"]
    chunks = [
        {
            "text": f"{first} created {second}.",
            "entities": [first, second],
            "triples": [[first, "created", second]],
        }
        for first in names
        for second in names
        if first != second
    ]
    body = json.dumps({"title": f"{IMG} {LONG}", "extractor": IMG, "chunks": chunks}).encode()
    entries = [
        Submission(body, "extraction", f"{IMG} {LONG}", source_uri=f"{IMG}.json"),
        text(f"{RIGHT_TO_LEFT}. Ada Moss created {LONG}.", title=RIGHT_TO_LEFT * 8, source_uri="rtl.txt"),
        text(
            "Ada Moss founded Cirrus Works. Cirrus Works is located in Oslo.",
            title=LONG,
            source_uri="long.txt",
        ),
    ]
    ingest_now(database, world.citegraph.settings, home, entries)
    detect_communities(world.citegraph, home)
    with database.open_space(home.tenant_id, home.space_id) as space:
        node, other = graph.list_nodes(space)[:2]
        tags.choose_and_set_tags(space, node.id, ["x" * 60])
        curation.keep_nodes_apart(space, node.id, other.id, actor=LONG_ADDRESS)
        claim = graph.list_edges(space, node_id=other.id)[0]
        invalidation.end_claim_by_person(space, claim.id, reason=f"{IMG} {LONG}", actor=LONG_ADDRESS)
    with database.open_tenant(home.tenant_id) as tenant:
        spaces.update_space_row(tenant, home.space_id, actor=LONG_ADDRESS, description=f"{IMG} {LONG}")
    return home


@pytest.fixture
def signed_in(world: World, hostile: Home, address: tuple[str, int], driver: WebDriver) -> str:
    """The base address, on which the driver is signed in as an admin of the hostile tenant."""
    with world.citegraph.database.open_tenant(hostile.tenant_id) as tenant:
        email = f"{'very-long-name-' * 12}{uuid4().hex[:6]}@example.org"
        token = accounts.create_invitation_link_token(tenant, email=email, role=Role.ADMIN, actor=IMG)
    base = f"http://{address[0]}:{address[1]}"
    driver.get(f"{base}/dashboard/links/{token}")
    driver.find_element(By.CSS_SELECTOR, "input[type=password]").send_keys(PASSWORD)
    driver.find_element(By.CSS_SELECTOR, "button[type=submit]").click()
    see(driver, ".topbar")
    return base


@pytest.fixture(scope="module")
def pages(world: World, hostile: Home) -> dict[str, str]:
    """The pages of the hostile tenant by their routes, each found by links; and none of them is broken."""
    with world.citegraph.database.open_tenant(hostile.tenant_id) as tenant:
        token = accounts.create_invitation_link_token(
            tenant, email=f"{uuid4().hex}@example.org", role=Role.ADMIN, actor="test"
        )
    browser = browser_of(world)
    browser.get(f"/dashboard/links/{token}")
    browser.post(f"/dashboard/links/{token}", password=PASSWORD)

    def fetch(path: str) -> tuple[int, str, str]:
        answer = browser.http.get(path, follow_redirects=True)
        kind = answer.headers.get("content-type", "")
        # A file of values holds names as they are.
        assert not kind.startswith("text/html") or "<img" not in answer.text, path
        return answer.status_code, kind, answer.text

    found = find_pages(fetch)
    base = f"/dashboard/spaces/{hostile.space_id}"
    found["ask, answered"] = f"{base}/ask?whole=1&q=What+did+Ada+Moss+create"
    found["ask, streamed"] = f"{base}/ask?q=What+did+Ada+Moss+create"
    found["explain, found"] = f"{base}/explain?from=Ada+Moss&to=Oslo"
    return found


def test_links_lead_to_every_page(pages: dict[str, str]) -> None:
    of_a_space = {
        route.path
        for route in routes()
        if "{space_id}" in route.path and not any(n in route.path for n in NO_PAGES)
    }
    assert {"/dashboard", "/dashboard/spaces/{space_id}/ask"} <= pages.keys()
    assert len(of_a_space & pages.keys()) >= 8, sorted(of_a_space - pages.keys())


# The first elements that reach beyond the window, outermost first.
TOO_WIDE = """
const seen = [...document.querySelectorAll('main *')].filter(each =>
    each.getBoundingClientRect().right > document.documentElement.clientWidth + 1);
return seen.slice(0, 4).map(each => each.tagName + '.' + String(each.className)).join(' > ')
"""


# Theme and width of the window: a narrow telephone has 360 pixels, and a desktop browser adds its scroll bar.
LOOKS = (("light", 1280), ("dark", 375))


@pytest.mark.soak
@pytest.mark.needs("assets")
@pytest.mark.parametrize(("every", "both"), sampled([pytest.param(6, False), pytest.param(1, True)], every=2))
def test_every_page_is_readable_for_all_and_fits_a_telephone(
    pages: dict[str, str], signed_in: str, driver: WebDriver, every: int, both: bool
) -> None:
    """Each sixth page in one look, and with `make soak-suite` all of them in both."""
    wrong = faults(driver, signed_in, dict(list(pages.items())[::every]), both=both)
    assert not wrong, "\n".join(wrong)


@pytest.mark.needs("assets")
@pytest.mark.soak
def test_so_are_the_operators_pages_and_the_sign_in(
    world: World, hostile: Home, address: tuple[str, int], driver: WebDriver
) -> None:
    base = f"http://{address[0]}:{address[1]}"
    with world.citegraph.database.open_tenant(hostile.tenant_id) as tenant:
        links = [
            accounts.create_operator_link_token(tenant, email=f"op-{uuid4().hex[:6]}@example.org", actor=IMG)
            for _ in range(2)
        ]
    driver.get(f"{base}/dashboard/sign-in")
    wrong = faults(driver, base, {"sign-in": "/dashboard/sign-in", "link": f"/dashboard/links/{links[0]}"})
    driver.get(f"{base}/dashboard/links/{links[0]}")
    driver.find_element(By.CSS_SELECTOR, "button[type=submit]").click()
    see(driver, ".topbar")
    browser = browser_of(world)
    browser.get(f"/dashboard/links/{links[1]}")
    browser.post(f"/dashboard/links/{links[1]}")

    def fetch(path: str) -> tuple[int, str, str]:
        answer = browser.http.get(path, follow_redirects=True)
        kind = answer.headers.get("content-type", "")
        assert not kind.startswith("text/html") or "<img" not in answer.text, path
        return answer.status_code, kind, answer.text

    found = find_pages(fetch, "/dashboard/operator")
    shown = {name: path for name, path in found.items() if "/operator" in name}
    every = {route.path for route in routes() if "/operator" in route.path}
    assert every == shown.keys()
    wrong += faults(driver, base, {**shown, "no such page": "/dashboard/nowhere"}, missing="/nowhere")
    assert not wrong, "\n".join(wrong)


def faults(
    driver: WebDriver, base: str, pages: dict[str, str], *, missing: str = "never", both: bool = False
) -> list[str]:
    """What cannot be read, or is wider than the window, on each page in one look, in turn, or in both.

    A page whose address holds `missing` answers 404, which the browser writes into its log.
    """
    axe, wrong = AXE.read_text("utf-8"), []
    for number, (name, path) in enumerate(pages.items()):
        for theme, width in LOOKS if both else (LOOKS[number % len(LOOKS)],):
            driver.set_window_size(width, 844)
            driver.execute_script("localStorage.setItem('citegraph.theme', arguments[0])", theme)
            driver.get(base + path)
            settle(driver)
            driver.execute_script(axe)
            found = driver.execute_async_script(
                "const done = arguments[arguments.length - 1];"
                "axe.run(document, {runOnly: arguments[0], resultTypes: ['violations']})"
                ".then(r => done(r.violations))",
                sorted(RULES),
            )
            wrong += [
                f"{name} {theme}: {violation['id']} at {violation['nodes'][0]['target']}"
                f" {violation['nodes'][0]['failureSummary'][:200]}"
                for violation in found
                if violation["impact"] in ("serious", "critical")
            ]
            shown = int(driver.execute_script("return document.documentElement.clientWidth"))
            wide = int(driver.execute_script("return document.documentElement.scrollWidth"))
            if wide > shown:
                wrong.append(f"{name} {theme}: {wide} wide in {shown} by {driver.execute_script(TOO_WIDE)}")
            elsewhere = driver.execute_script(
                "return performance.getEntriesByType('resource').map(e => e.name)"
                ".filter(n => /^https?:/.test(n) && new URL(n).origin !== location.origin)"
            )
            wrong += [f"{name}: asks {missing_address}" for missing_address in elsewhere]
    log = driver.get_log("browser")  # type: ignore[attr-defined]
    wrong += [
        entry["message"][:300]
        for entry in log
        if entry["level"] == "SEVERE" and missing not in entry["message"]
    ]
    return wrong


def settle(driver: WebDriver) -> None:
    """Wait until nothing on the page is being written or moved any more."""
    driver.execute_async_script(
        "const done = arguments[0]; const until = performance.now() + 8000;"
        "const look = () => document.querySelector('[data-writing]') && performance.now() < until"
        " ? setTimeout(look, 50) : setTimeout(done, 100); look()"
    )


@pytest.mark.soak
def test_the_keyboard_reaches_menu_sidebar_and_account(
    hostile: Home, signed_in: str, driver: WebDriver
) -> None:
    driver.set_window_size(390, 844)
    driver.get(f"{signed_in}/dashboard/spaces/{hostile.space_id}/documents")
    reached = []
    for _ in range(30):
        driver.switch_to.active_element.send_keys(Keys.TAB)
        active = driver.switch_to.active_element
        reached.append(
            str(active.get_attribute("data-toggle") or active.get_attribute("href") or active.tag_name)
        )
        outlined = driver.execute_script(
            "const s = getComputedStyle(arguments[0]);"
            "return s.boxShadow !== 'none' || s.outlineStyle !== 'none'"
            " || arguments[0].closest('.ask-box') !== null",
            active,
        )
        assert outlined or active.tag_name in ("body", "html"), reached[-1]
        if reached[-1] == "nav" and "opened" not in reached:
            active.send_keys(Keys.ENTER)
            WebDriverWait(driver, SECONDS).until(lambda _: driver.find_element(By.ID, "nav").is_displayed())
            reached.append("opened")
    assert reached[0].endswith("#content")
    assert "opened" in reached
    assert "summary" in reached
    assert any(path.endswith("/ask") for path in reached)
