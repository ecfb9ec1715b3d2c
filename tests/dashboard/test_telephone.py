"""What a finger does on a telephone's width: a real browser that is sent real touches."""

import time
from typing import Any

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait

from tests.api.conftest import World, address
from tests.dashboard.test_browser import SECONDS, driver, pytestmark, see, signed_in

__all__ = ["address", "driver", "pytestmark"]

TELEPHONE = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
PICTURE = """
const done = arguments[arguments.length - 1];
const script = document.querySelector('script[src*="graph/main.js"]').src;
import(new URL('drawing.js', script)).then(({picture, drawnGraph}) => {
  const {left, top} = document.querySelector('[data-canvas]').getBoundingClientRect();
  const nodes = {};
  drawnGraph().forEachNode((id, data) => {
    const at = picture().graphToViewport(data);
    if (data.node) nodes[data.node.name] = [at.x + left, at.y + top];
  });
  const {x, y, ratio} = picture().getCamera().getState();
  done({nodes, camera: [x, y, ratio]});
});
"""
# A place on a link of the page that the menu leaves free, once the menu has come in.
BESIDE = """
const done = arguments[arguments.length - 1];
const menu = document.getElementById('nav');
Promise.all(menu.getAnimations().map(each => each.finished)).then(() => {
  const free = menu.getBoundingClientRect().right;
  const ends = [...document.querySelectorAll('main a')].map(each => each.getBoundingClientRect());
  const {right, top, height} = ends.find(each => each.right > free + 10);
  done([right - 5, top + height / 2]);
});
"""
NAME = "Michael Stonebraker"
BY = 50


@pytest.fixture
def telephone(world: World, address: tuple[str, int], driver: WebDriver) -> WebDriver:
    """A telephone in which an admin is signed in, at the library of a space."""
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", TELEPHONE)
    driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 2})
    base = signed_in(world, driver, address, "finger@a.example")
    driver.get(f"{base}/spaces/{world.a.space_id}")
    return driver


def touch(driver: WebDriver, kind: str, *at: float) -> None:
    """One event of a finger; it has no place once it is lifted."""
    points = [{"x": at[0], "y": at[1]}] if at else []
    driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def tap(driver: WebDriver, at: list[float]) -> None:
    """Touch a place, and lift the finger."""
    touch(driver, "touchStart", *at)
    touch(driver, "touchEnd")


def drag(driver: WebDriver, at: list[float]) -> None:
    """Drag from a place to the right, in steps as a finger's, and rest before lifting."""
    touch(driver, "touchStart", *at)
    for step in range(1, 11):
        touch(driver, "touchMove", at[0] + BY * step / 10, at[1])
    time.sleep(0.3)
    touch(driver, "touchEnd")


def still(driver: WebDriver) -> dict[str, Any]:
    """The nodes' places in the window and the camera, once the picture moves no more."""
    seen: list[dict[str, Any]] = [{}]

    def rests(_: WebDriver) -> bool:
        seen.append(driver.execute_async_script(PICTURE))
        return NAME in seen[-1]["nodes"] and seen[-1] == seen[-2]

    WebDriverWait(driver, SECONDS, poll_frequency=0.4).until(rests)
    return seen[-1]


@pytest.mark.soak
def test_a_finger_drags_the_picture_until_a_node_is_chosen(world: World, telephone: WebDriver) -> None:
    telephone.get(f"{telephone.current_url}/graph")
    see(telephone, "[data-note]", "nodes")
    before = still(telephone)
    drag(telephone, before["nodes"][NAME])
    moved = still(telephone)
    assert moved["camera"] != before["camera"]
    assert moved["nodes"][NAME][0] == pytest.approx(before["nodes"][NAME][0] + BY, abs=15)
    assert "pinned" not in telephone.find_element(By.CSS_SELECTOR, "[data-chips]").text
    tap(telephone, moved["nodes"][NAME])
    see(telephone, "[data-panel-body]", NAME)
    chosen = still(telephone)
    drag(telephone, chosen["nodes"][NAME])
    see(telephone, "[data-chips]", "1 pinned")
    dragged = still(telephone)
    assert dragged["camera"] == chosen["camera"]
    assert dragged["nodes"][NAME][0] == pytest.approx(chosen["nodes"][NAME][0] + BY, abs=15)


@pytest.mark.soak
def test_a_tap_beside_the_open_menu_closes_it_and_follows_no_link(telephone: WebDriver) -> None:
    telephone.get(f"{telephone.current_url}/documents")
    here = telephone.current_url
    opener = telephone.find_element(By.CSS_SELECTOR, "[data-toggle=nav]")
    opener.click()
    beside = telephone.execute_async_script(BESIDE)
    assert opener.get_attribute("aria-expanded") == "true"
    tap(telephone, beside)
    WebDriverWait(telephone, SECONDS).until(lambda _: opener.get_attribute("aria-expanded") == "false")
    assert telephone.current_url == here
    tap(telephone, beside)
    WebDriverWait(telephone, SECONDS).until(lambda _: telephone.current_url != here)
