"""A real browser on the real server: what a person does, and that nothing fails in the page's console."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait

from app.tenancy.accounts.roles import Role
from tests.api.conftest import World, address
from tests.dashboard.conftest import PASSWORD, invite

__all__ = ["address"]

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = [pytest.mark.slow, pytest.mark.needs("browser", "assets")]
ARGUMENTS = (
    "--headless=new",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    # Only what a page draws by WebGL goes through the software of a graphics card: half of the browser's work
    # was to put whole pages together there.
    "--disable-gpu-compositing",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--window-size=1280,900",
)
SECONDS = 30
# Between two looks at a page. Selenium's own is half a second.
LOOK_SECONDS = 0.1


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[WebDriver]:
    """A browser of this test's own."""
    with browser(tmp_path) as started:
        yield started


@contextmanager
def browser(folder: Path, *, performance: bool = False) -> Iterator[WebDriver]:
    """A browser that keeps its profile in the folder, and with `performance` a log of what it asks for."""
    options = webdriver.ChromeOptions()
    for argument in (*ARGUMENTS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    assert BROWSER is not None
    options.binary_location = BROWSER
    logs = {"browser": "ALL", **({"performance": "ALL"} if performance else {})}
    options.set_capability("goog:loggingPrefs", logs)
    started = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield started
    started.quit()


def see(driver: WebDriver, selector: str, holding: str = "") -> str:
    """The text of an element once it is there and holds these words."""

    def text_of(_: WebDriver) -> str | bool:
        found = driver.find_elements(By.CSS_SELECTOR, selector)
        words = found[0].text if found else ""
        return words if found and holding in words else False

    # What is read may be replaced meanwhile: then it is looked for again.
    wait = WebDriverWait(driver, SECONDS, LOOK_SECONDS, [StaleElementReferenceException])
    return str(wait.until(text_of, f"{selector} never held {holding!r}") or "")


def explained_by_keys(driver: WebDriver) -> None:
    """Choose two nodes without a mouse: the way between them is explained."""
    canvas = driver.find_element(By.CSS_SELECTOR, "[data-canvas]")
    canvas.send_keys(Keys.ARROW_RIGHT)
    see_hidden(driver, "[data-say]", "claims")
    canvas.send_keys("s")
    see(driver, "[data-chips]", "Choose a second node")
    canvas.send_keys(Keys.ARROW_DOWN)
    canvas.send_keys(Keys.ENTER)
    see(driver, "[data-panel-body] h2", " to ")
    canvas.send_keys(Keys.ESCAPE)
    WebDriverWait(driver, SECONDS).until(
        lambda _: not driver.find_element(By.CSS_SELECTOR, "[data-panel]").is_displayed()
    )


def names_in_the_picture(driver: WebDriver) -> list[dict[str, Any]]:
    """The boxes of the names that are written in the picture."""
    found: list[dict[str, Any]] = driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "const script = document.querySelector('script[src*=\"graph/main.js\"]').src;"
        "import(new URL('names.js', script)).then(names => done(names.placedNames().map(each => {"
        "  const context = document.createElement('canvas').getContext('2d');"
        "  context.font = `${each.weight} ${each.size}px ${getComputedStyle(document.body).fontFamily}`;"
        "  return {text: each.text, left: each.x, right: each.x + context.measureText(each.text).width,"
        "          bottom: each.y, top: each.y - each.size * 0.75};"
        "})))"
    )
    return found


def overlapping(names: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """The pairs of names of which one lies over the other; raises where there is no name at all."""
    assert names
    return [
        (one["text"], other["text"])
        for place, one in enumerate(names)
        for other in names[:place]
        if one["left"] < other["right"]
        and other["left"] < one["right"]
        and one["top"] < other["bottom"]
        and other["top"] < one["bottom"]
    ]


def see_hidden(driver: WebDriver, selector: str, holding: str) -> None:
    """Wait for words that are only read aloud."""
    WebDriverWait(driver, SECONDS).until(
        lambda _: holding in str(driver.find_element(By.CSS_SELECTOR, selector).get_attribute("textContent"))
    )


def test_from_an_invitation_to_the_words_under_an_edge(
    world: World, address: tuple[str, int], driver: WebDriver
) -> None:
    base = signed_in(world, driver, address, "browser@a.example")
    driver.get(f"{base}/spaces/{world.a.space_id}")
    see(driver, "h1", "library")

    driver.find_element(By.LINK_TEXT, "Graph").click()
    counted = see(driver, "[data-note]", "nodes")
    assert not counted.startswith("0 ")
    search = driver.find_element(By.CSS_SELECTOR, "[data-search]")
    search.send_keys("stonebr")
    see(driver, "[data-hits]", "Michael Stonebraker")
    search.send_keys(Keys.ENTER)
    panel = see(driver, "[data-panel-body]", "Michael Stonebraker")
    assert "created" in panel
    assert "chosen=node" in driver.current_url
    # The link restores what was chosen.
    driver.get(driver.current_url)
    see(driver, "[data-panel-body]", "Michael Stonebraker")
    driver.find_element(By.CSS_SELECTOR, "[data-panel-body] [data-act=claim]").click()
    see(driver, "[data-panel-body] mark", "Michael Stonebraker created")
    assert overlapping(names_in_the_picture(driver)) == []
    legend = driver.find_element(By.CSS_SELECTOR, "[data-legend] button")
    legend.click()
    assert legend.get_attribute("aria-pressed") == "false"
    assert see(driver, "[data-note]", "nodes") != counted
    driver.find_element(By.CSS_SELECTOR, "[data-reset]").click()
    see(driver, "[data-note]", counted)
    explained_by_keys(driver)
    driver.find_element(By.CSS_SELECTOR, ".twin summary").click()
    see(driver, "[data-twin] a[href*=between]")
    driver.find_element(By.CSS_SELECTOR, "[data-twin] a[href*=between]").click()
    assert see(driver, "mark")

    driver.find_element(By.LINK_TEXT, "Ask").click()
    driver.find_element(By.NAME, "q").send_keys("What did Michael Stonebraker create?")
    driver.find_element(By.CSS_SELECTOR, ".ask-box button").click()
    see(driver, ".steps", "Found")
    assert "Ingres" in see(driver, ".answer-text")
    driver.find_element(By.CSS_SELECTOR, "a.cite").click()
    assert "Ingres" in see(driver, ".source.is-open mark")
    driver.find_element(By.CSS_SELECTOR, ".source.is-open .source-head a").click()
    see(driver, ".passage .evidence")

    driver.find_element(By.LINK_TEXT, "Explain").click()
    start = driver.find_element(By.NAME, "from")
    start.send_keys("michael st")
    WebDriverWait(driver, SECONDS).until(
        lambda _: driver.find_elements(By.CSS_SELECTOR, "#names-from option[value='Michael Stonebraker']")
    )
    start.clear()
    start.send_keys("Michael Stonebraker")
    driver.find_element(By.NAME, "to").send_keys("Ingres")
    driver.find_element(By.CSS_SELECTOR, ".explain-form button").click()
    assert "created" in see(driver, ".path")

    log = driver.get_log("browser")  # type: ignore[attr-defined]
    errors = [entry for entry in log if entry["level"] == "SEVERE"]
    assert errors == []


def signed_in(world: World, driver: WebDriver, address: tuple[str, int], email: str) -> str:
    """Join tenant A as an admin; returns the address of the dashboard."""
    base = f"http://{address[0]}:{address[1]}/dashboard"
    driver.get(f"{base}/links/{invite(world, 'A', email, Role.ADMIN)}")
    driver.find_element(By.CSS_SELECTOR, "input[type=password]").send_keys(PASSWORD)
    driver.find_element(By.CSS_SELECTOR, "button[type=submit]").click()
    # Where a tenant has one space the way leads into it, else to their list: other tests may have made some.
    WebDriverWait(driver, SECONDS, LOOK_SECONDS).until(lambda _: "/links/" not in driver.current_url)
    return base


@pytest.mark.soak
def test_what_was_typed_is_there_again_after_signing_in(
    world: World, address: tuple[str, int], driver: WebDriver
) -> None:
    base = signed_in(world, driver, address, "typed@a.example")
    driver.get(f"{base}/spaces/{world.a.space_id}/settings")
    field = driver.find_element(By.CSS_SELECTOR, "#name textarea")
    field.clear()
    field.send_keys("Typed for minutes")
    driver.delete_cookie("citegraph_session")
    driver.find_element(By.CSS_SELECTOR, "#name button[type=submit]").click()
    see(driver, "h1", "Sign in")
    driver.find_element(By.NAME, "email").send_keys("typed@a.example")
    driver.find_element(By.NAME, "password").send_keys(PASSWORD, Keys.ENTER)
    see(driver, "h1", "Settings")
    see(driver, ".toast", "What you typed is here again")
    field = driver.find_element(By.CSS_SELECTOR, "#name textarea")
    assert field.get_attribute("value") == "Typed for minutes"
    # Once: whoever comes back later finds what is stored.
    driver.get(driver.current_url)
    see(driver, "h1", "Settings")
    field = driver.find_element(By.CSS_SELECTOR, "#name textarea")
    assert field.get_attribute("value") != "Typed for minutes"


SERVER_AWAY = """
let left = 2;
const real = window.fetch;
window.fetch = (...all) => left-- > 0 ? Promise.reject(new TypeError('refused')) : real(...all);
window.EventSource = class extends EventTarget {
  static CLOSED = 2;
  readyState = 2;
  constructor() { super(); setTimeout(() => this.dispatchEvent(new Event('error'))); }
  close() {}
};
"""


@pytest.mark.soak
def test_a_job_page_asks_until_the_server_is_there_again(
    world: World, address: tuple[str, int], driver: WebDriver
) -> None:
    base = signed_in(world, driver, address, "waits@a.example")
    # Its own words: a text that another module handed in makes no job.
    said = {"text": "Grace Hopper waits for a server."}
    path = f"/v1/spaces/{world.a.space_id}/documents"
    taken = world.http.post(path, headers=world.a.bearer("full"), json=said)
    assert taken.status_code == 202, taken.text
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": SERVER_AWAY})
    driver.get(f"{base}/spaces/{world.a.space_id}/jobs/{taken.json()['job']['id']}")
    world.drain()
    see(driver, "[data-live] .status", "done")
