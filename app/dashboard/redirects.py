"""Where a page may lead on to: a page of the dashboard, nothing that a browser could read as elsewhere."""

import re

from app.http.admission import DASHBOARD

# What RFC 3986 lets stand in a path and a query; of percent-encoded bytes none that separates or controls.
# What is not written so is not understood, and leads to the first page.
_SEGMENT = r"(?!\.{1,2}(?:[/?]|$))(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%(?!2[ef]|5c|[01]|7f)[0-9A-Fa-f]{2})+"
_QUERY = r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*"
_OWN = re.compile(rf"{DASHBOARD}(?:/{_SEGMENT})*(?:\?{_QUERY})?", re.ASCII | re.IGNORECASE)


def check_own_page(address: str) -> str:
    """The address, if it is one of the dashboard's own pages; else the first page."""
    return address if _OWN.fullmatch(address) and address.startswith(DASHBOARD) else DASHBOARD
