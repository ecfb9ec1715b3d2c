"""The graph page where the drawing library is not installed: a notice that nothing covers, and a way on."""

from pathlib import Path

import pytest
from selenium.webdriver.common.by import By

from tests.api.conftest import World, address
from tests.dashboard.test_browser import browser, see, signed_in

__all__ = ["address"]

pytestmark = [pytest.mark.slow, pytest.mark.needs("browser")]
NOTICE = "[data-undrawn] .empty"
COVERED = (
    "const box = document.querySelector(arguments[0]).getBoundingClientRect();"
    "return [[.1, .1], [.5, .5], [.9, .9], [.1, .9], [.9, .1]].map(([x, y]) => document.elementFromPoint("
    "box.left + x * box.width, box.top + y * box.height)).filter(on => !on?.closest(arguments[0])).length"
)


@pytest.mark.parametrize("width", [1280, 900, 360])
def test_the_notice_is_seen_whole_and_leads_to_the_table(
    world: World, address: tuple[str, int], tmp_path: Path, width: int
) -> None:
    with browser(tmp_path) as driver:
        driver.set_window_size(width, 800)
        base = signed_in(world, driver, address, f"undrawn{width}@a.example")
        driver.execute_cdp_cmd("Network.enable", {})
        driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*vendor/sigma*"]})
        driver.get(f"{base}/spaces/{world.a.space_id}/graph")
        assert "make assets" in see(driver, NOTICE, "not installed")
        assert driver.execute_script(COVERED, NOTICE) == 0
        driver.find_element(By.CSS_SELECTOR, f"{NOTICE} a").click()
        assert "Ingres" in see(driver, "table", "Ingres")
