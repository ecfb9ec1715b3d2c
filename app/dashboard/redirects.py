"""Redirect targets: pages of the dashboard, and nothing that a browser could take for another site."""

import re

from app.http.authentication import DASHBOARD_PATH

# The characters that RFC 3986 allows in a path and a query, without percent-encoded separators and control
# characters. Any other address leads to the first page.
_SEGMENT = r"(?!\.{1,2}(?:[/?]|$))(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%(?!2[ef]|5c|[01]|7f)[0-9A-Fa-f]{2})+"
_QUERY = r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*"
_DASHBOARD_ADDRESS = re.compile(rf"{DASHBOARD_PATH}(?:/{_SEGMENT})*(?:\?{_QUERY})?", re.ASCII | re.IGNORECASE)


def restrict_address_to_own_pages(address: str) -> str:
    """Return the address if it is one of the dashboard's own pages, else that of the first page."""
    return (
        address
        if _DASHBOARD_ADDRESS.fullmatch(address) and address.startswith(DASHBOARD_PATH)
        else DASHBOARD_PATH
    )
