"""Where a page leads on to after a sign-in: never elsewhere, whatever the address says (review C6)."""

from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.dashboard.redirects import restrict_address_to_own_pages

SITE = "https://citegraph.example"
PIECES = [
    "/", "//", "///", "\\", "/\\", "dashboard", "/dashboard", "/dashboard/", "..", "/..", "/.", ".", "%2f",
    "%5c", "%2e%2e", "%00", "%09", "%0d%0a", "\t", "\n", "\r", " ", "\x00", "@", ":", "https:", "javascript:",
    "data:", "evil.example", "?", "#", "&", "=", "next", "é", "\u2028", "\uff0f\uff0f",
    "\ud800", "%", "%zz", "spaces", "a",
]  # fmt: skip
ADDRESSES = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=8).map("".join)


@given(ADDRESSES | ADDRESSES.map(lambda rest: "/dashboard" + rest))
@example("///dashboard")
@example("/dashboard/../v1/spaces")
@example("/dashboard/%2e%2e/v1")
@example("/dashboard\n//evil.example")
def test_it_is_a_page_of_the_dashboard(address: str) -> None:
    page = restrict_address_to_own_pages(address)
    assert page.isascii()
    assert page.isprintable()
    # As a browser reads it, which takes a backslash for a slash.
    for read in (page, page.replace("\\", "/")):
        led = urlsplit(urljoin(f"{SITE}/dashboard/sign-in", read))
        assert (led.scheme, led.netloc) == ("https", "citegraph.example")
        assert led.path == "/dashboard" or led.path.startswith("/dashboard/")
        assert "/../" not in f"{led.path.lower().replace('%2e', '.')}/"
        assert "//" not in led.path


@pytest.mark.parametrize(
    "page",
    [
        "/dashboard",
        "/dashboard?all=1",
        "/dashboard/spaces/01a20eed-01ed-70c9-83e1-dde20aff3f5a/graph?q=a%20b&match=all",
        "/dashboard/spaces/x/explain?from=Z%C3%BCrich&to=//not-a-host",
    ],
)
def test_our_own_pages_stay_as_they_are(page: str) -> None:
    assert restrict_address_to_own_pages(page) == page
