"""A server that is lost is said on every page, and the page goes on once it answers again (review F5)."""

from collections.abc import Iterator

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait

from tests.api.conftest import World, address
from tests.dashboard.conftest import PASSWORD
from tests.dashboard.test_browser import SECONDS, browser, pytestmark, see, signed_in
from tests.support.relay import Relay
from tests.support.sampling import sampled

__all__ = ["address", "pytestmark"]

LOST = "[data-connection] [data-when=lost]"
SIGNED_OUT = "[data-connection] [data-when=signed-out]"


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebDriver]:
    """One browser for all tests: each comes by a relay of its own, and so keeps a store of its own."""
    with browser(tmp_path_factory.mktemp("browser")) as started:
        yield started


@pytest.fixture
def driver(started: WebDriver) -> Iterator[WebDriver]:
    """That browser, in which nobody is signed in."""
    yield started
    started.get("about:blank")
    started.execute_cdp_cmd("Network.clearBrowserCookies", {})


@pytest.fixture
def relay(address: tuple[str, int]) -> Iterator[Relay]:
    """The way to the server, which a test may cut."""
    relay = Relay(address)
    yield relay
    relay.cut()


def ask_now(driver: WebDriver) -> None:
    """Have the page ask at once, as it does by itself every ten seconds."""
    driver.execute_script("dispatchEvent(new Event('offline'))")


def await_shown(driver: WebDriver, selector: str, *, shown: bool) -> None:
    """Wait until that part of the banner is shown, or is not."""
    wait = WebDriverWait(driver, SECONDS, 0.1)
    wait.until(lambda _: driver.find_element(By.CSS_SELECTOR, selector).is_displayed() is shown, selector)


@pytest.mark.soak
@pytest.mark.parametrize(
    "page",
    sampled(
        [
            "",
            "/ask",
            "/explain",
            "/graph",
            "/communities",
            "/summaries",
            "/curation",
            "/documents",
            "/jobs",
            "/usage",
            "/settings",
        ],
        every=11,
    ),
)
def test_a_page_says_that_the_server_is_lost_and_recovers(
    world: World, driver: WebDriver, relay: Relay, page: str
) -> None:
    base = signed_in(world, driver, relay.address, f"lost{page.strip('/')}@a.example")
    driver.get(f"{base}/spaces/{world.a.space_id}{page}")
    see(driver, "h1")
    await_shown(driver, LOST, shown=False)
    relay.cut()
    ask_now(driver)
    await_shown(driver, LOST, shown=True)
    assert driver.find_element(By.CSS_SELECTOR, "[data-connection]").get_attribute("aria-live") == "polite"
    relay.mend()
    await_shown(driver, LOST, shown=False)
    see(driver, ".toast", "answers again")


@pytest.mark.soak
def test_a_form_keeps_what_was_typed_while_the_server_is_lost(
    world: World, driver: WebDriver, relay: Relay
) -> None:
    base = signed_in(world, driver, relay.address, "lost-form@a.example")
    driver.get(f"{base}/spaces/{world.a.space_id}/ask")
    driver.find_element(By.NAME, "q").send_keys("What did Michael Stonebraker create?")
    relay.cut()
    driver.find_element(By.CSS_SELECTOR, ".ask-box button[type=submit]").click()
    see(driver, ".toast", "Nothing was sent")
    await_shown(driver, LOST, shown=True)
    question = driver.find_element(By.NAME, "q").get_attribute("value")
    assert question == "What did Michael Stonebraker create?"
    # Nor does a link lead to the browser's own page of errors.
    driver.find_element(By.LINK_TEXT, "Explain").click()
    assert driver.find_element(By.NAME, "q").get_attribute("value") == question
    relay.mend()
    await_shown(driver, LOST, shown=False)
    driver.find_element(By.CSS_SELECTOR, ".ask-box button[type=submit]").click()
    assert "Ingres" in see(driver, ".answer-text", "Ingres")


@pytest.mark.parametrize(
    "whole_list", sampled([pytest.param(True, id="list"), pytest.param(False, id="job")], every=2)
)
@pytest.mark.soak
def test_jobs_go_on_once_the_server_is_there_again(
    world: World, driver: WebDriver, relay: Relay, whole_list: bool
) -> None:
    base = signed_in(world, driver, relay.address, f"lost-jobs-{whole_list}@a.example")
    said = {"text": f"Grace Hopper created Flow-Matic. {whole_list}"}
    taken = world.http.post(
        f"/v1/spaces/{world.a.space_id}/documents", headers=world.a.bearer("full"), json=said
    )
    job = taken.json()["job"]["id"]
    driver.get(f"{base}/spaces/{world.a.space_id}/jobs{'' if whole_list else '/' + job}")
    state = f"[data-live] tr:has(a[href$='{job}']) .status" if whole_list else "[data-live] .status"
    see(driver, state, "queued")
    relay.cut()
    # The stream that breaks is noticed by itself.
    await_shown(driver, LOST, shown=True)
    world.drain()
    relay.mend()
    await_shown(driver, LOST, shown=False)
    assert "done" in see(driver, state, "done")


@pytest.mark.soak
def test_the_end_of_a_session_is_said_and_what_was_typed_is_kept(
    world: World, driver: WebDriver, relay: Relay
) -> None:
    base = signed_in(world, driver, relay.address, "ended@a.example")
    driver.get(f"{base}/spaces/{world.a.space_id}/settings")
    field = driver.find_element(By.CSS_SELECTOR, "#name textarea")
    field.clear()
    field.send_keys("Typed for minutes")
    driver.delete_cookie("citegraph_session")
    ask_now(driver)
    await_shown(driver, SIGNED_OUT, shown=True)
    driver.find_element(By.CSS_SELECTOR, "[data-sign-in]").click()
    see(driver, "h1", "Sign in")
    driver.find_element(By.NAME, "email").send_keys("ended@a.example")
    driver.find_element(By.NAME, "password").send_keys(PASSWORD)
    driver.find_element(By.CSS_SELECTOR, "form button[type=submit]").click()
    see(driver, "h1", "Settings")
    see(driver, ".toast", "What you typed is here again")
    assert (
        driver.find_element(By.CSS_SELECTOR, "#name textarea").get_attribute("value") == "Typed for minutes"
    )
