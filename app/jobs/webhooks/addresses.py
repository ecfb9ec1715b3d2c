"""Addresses to which a webhook may be sent: public ones, and those that the operator lists."""

import ipaddress
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from app.errors import InvalidInput
from app.limits import WEBHOOK_URL

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Sequence[str]]

# In addition to what is_global excludes: IPv6 addresses that reach an IPv4 address, and networks on which
# Python's releases disagree.
_REFUSED_NETWORKS = [
    ipaddress.ip_network(network)
    for network in (
        "0.0.0.0/8",
        "100.64.0.0/10",
        "169.254.0.0/16",
        "192.0.0.0/24",
        "192.88.99.0/24",
        "198.18.0.0/15",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "::/96",
        "::ffff:0:0/96",
        "64:ff9b::/96",
        "64:ff9b:1::/48",
        "100::/64",
        "2001::/23",
        "2002::/16",
        "5f00::/16",
        "fc00::/7",
        "fe80::/10",
        "fec0::/10",
        "ff00::/8",
    )
]


@dataclass(frozen=True)
class WebhookTarget:
    """The parts of a webhook's address."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def host_header(self) -> str:
        """Return the value of the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.scheme == "https" else 80) else f"{host}:{self.port}"


class RefusedAddress(InvalidInput):
    """A webhook may not be sent to this address."""

    code = "webhook_address_refused"


def parse_and_check_webhook_url(url: str, allowed_hosts: frozenset[str]) -> WebhookTarget:
    """Return the parts of the address. Raises RefusedAddress if it is not a plain https address, or contains
    an IP address that is not public.

    Plain http is allowed only for hosts that the operator lists.
    """
    try:
        url_parts = urlsplit(url)
        host, port = (url_parts.hostname or "").rstrip("."), url_parts.port
        host.encode("ascii")
    except ValueError:
        raise RefusedAddress("The address cannot be read; write a host name in ASCII.") from None
    if len(url) > WEBHOOK_URL.maximum or not url.isascii() or any(character <= " " for character in url):
        raise RefusedAddress("The address holds characters that no address holds, or is too long.")
    if url_parts.username is not None or url_parts.password is not None or url_parts.fragment:
        raise RefusedAddress("An address of a webhook has neither a name, a password nor a fragment.")
    if not host or url_parts.scheme not in ("https", "http"):
        raise RefusedAddress("A webhook is sent to an https address.")
    if port == 0:
        raise RefusedAddress("The address has the port 0, at which no server listens.")
    target = WebhookTarget(
        url_parts.scheme,
        host,
        port or (443 if url_parts.scheme == "https" else 80),
        (url_parts.path or "/") + (f"?{url_parts.query}" if url_parts.query else ""),
    )
    if not is_host_allowed(target, allowed_hosts):
        if target.scheme == "http":
            raise RefusedAddress("A webhook is sent to an https address.")
        _check_host_not_private(host)
    return target


def _check_host_not_private(host: str) -> None:
    """Refuse a host that cannot be public. Names are resolved when a message is sent."""
    if host.lower() == "localhost" or host.lower().endswith(".localhost"):
        raise RefusedAddress("The address is not a public one.")
    if ":" in host:
        check_public_ip_address(host)
        return
    try:
        # As the C library parses it: 2130706433 and 0x7f.1 are 127.0.0.1 too.
        packed_address = socket.inet_aton(host)
    except OSError:
        return
    check_public_ip_address(socket.inet_ntoa(packed_address))


def is_host_allowed(target: WebhookTarget, allowed_hosts: frozenset[str]) -> bool:
    """Return whether the operator lists this host, with or without its port."""
    return target.host in allowed_hosts or f"{target.host}:{target.port}" in allowed_hosts


def check_public_ip_address(address_text: str) -> None:
    """Raise RefusedAddress for an IP address that is not public."""
    try:
        address: Address = ipaddress.ip_address(address_text.partition("%")[0])
    except ValueError:
        raise RefusedAddress("The address cannot be read; write a host name in ASCII.") from None
    is_refused = not address.is_global or any(
        address in network for network in _REFUSED_NETWORKS if network.version == address.version
    )
    if is_refused or "%" in address_text:
        raise RefusedAddress("The address is not a public one.")


def resolve_host(host: str, port: int) -> list[str]:
    """Return every IP address of the host. Raises OSError."""
    address_infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address_info[4][0]) for address_info in address_infos))


def resolve_to_public_addresses(
    target: WebhookTarget, allowed_hosts: frozenset[str], look_up: Resolve = resolve_host
) -> Sequence[str]:
    """Return the target's IP addresses, all checked: one private address refuses all. Raises OSError,
    RefusedAddress.
    """
    addresses = look_up(target.host, target.port)
    if not is_host_allowed(target, allowed_hosts):
        for address in addresses:
            check_public_ip_address(address)
    return addresses
