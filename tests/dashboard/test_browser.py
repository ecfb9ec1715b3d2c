"""A real browser on the real server: what a person does, and that nothing fails in the page's console."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait

from app.accounts.shapes import Role
from app.dashboard.rendering import VENDOR
from tests.api.conftest import World, address
from tests.dashboard.conftest import PASSWORD, invite

__all__ = ["address"]

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (BROWSER and DRIVER), reason="no chromium and chromium-driver on this machine"),
    pytest.mark.skipif(
        not (VENDOR / "sigma.js").exists(), reason="`make assets` could not fetch the scripts"
    ),
]
ARGUMENTS = (
    "--headless=new",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--window-size=1280,900",
)
SECONDS = 30


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[WebDriver]:
    """A browser of this test's own."""
    options = webdriver.ChromeOptions()
    for each in (*ARGUMENTS, f"--user-data-dir={tmp_path / 'profile'}"):
        options.add_argument(each)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    assert BROWSER is not None
    options.binary_location = BROWSER
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield started
    started.quit()


def see(driver: WebDriver, selector: str, holding: str = "") -> str:
    """The text of an element once it is there and holds these words."""

    def text_of(_: WebDriver) -> str | bool:
        found = driver.find_elements(By.CSS_SELECTOR, selector)
        words = found[0].text if found else ""
        return words if found and holding in words else False

    return str(WebDriverWait(driver, SECONDS).until(text_of, f"{selector} never held {holding!r}") or "")


def test_from_an_invitation_to_the_words_under_an_edge(
    world: World, address: tuple[str, int], driver: WebDriver
) -> None:
    token = invite(world, "A", "browser@a.example", Role.ADMIN)
    base = f"http://{address[0]}:{address[1]}/dashboard"
    driver.get(f"{base}/links/{token}")
    driver.find_element(By.CSS_SELECTOR, "input[type=password]").send_keys(PASSWORD)
    driver.find_element(By.CSS_SELECTOR, "button[type=submit]").click()
    see(driver, "h1", "library")

    driver.find_element(By.LINK_TEXT, "Graph").click()
    counted = see(driver, "[data-note]", "nodes")
    assert not counted.startswith("0 ")
    search = driver.find_element(By.CSS_SELECTOR, "[data-search]")
    search.send_keys("Michael Stonebraker")
    driver.execute_script("arguments[0].dispatchEvent(new Event('change'))", search)
    panel = see(driver, "[data-panel-body]", "Michael Stonebraker")
    assert "created" in panel
    legend = driver.find_element(By.CSS_SELECTOR, "[data-legend] button")
    legend.click()
    assert legend.get_attribute("aria-pressed") == "false"
    assert see(driver, "[data-note]", "nodes") != counted
    driver.find_element(By.CSS_SELECTOR, "[data-close]").click()
    driver.find_element(By.CSS_SELECTOR, ".twin summary").click()
    driver.find_element(By.CSS_SELECTOR, "[data-twin] a").click()
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
    errors = [each for each in log if each["level"] == "SEVERE"]
    assert errors == []
