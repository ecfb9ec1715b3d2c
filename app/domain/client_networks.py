"""The network of a client, by which requests, connections and wrong passwords are counted."""

import ipaddress


def compute_network_of_client(address: str) -> str:
    """Return the network for which an address counts: an IPv6 customer has a network of 64 bits."""
    if ":" not in address:
        return address
    try:
        ip = ipaddress.IPv6Address(address.partition("%")[0])
        # An IPv4 address that a dual-stack socket reports in this form is a client of its own.
        return str(ip.ipv4_mapped or ipaddress.ip_network((ip, 64), strict=False))
    except ValueError:
        return address
