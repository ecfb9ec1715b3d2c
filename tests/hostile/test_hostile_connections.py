"""Strangers without a key: idle and slow connections, bodies that are costly to read, requests that are
none.
"""

import pytest

from tests.hostile.harness.attacks import Hammer, Hold, attacking
from tests.hostile.harness.installation import ATTACKER_ADDRESS, Installation
from tests.hostile.harness.neighbour import Beside
from tests.support.http_client import Call, Target, get

pytestmark = [pytest.mark.slow, pytest.mark.soak]

MADE_UP = "cg_live_0a1b2c3d_" + "A" * 43


def stranger(installation: Installation, key: str = "") -> Target:
    return Target(installation.settings.port, key, source=ATTACKER_ADDRESS)


def head(method: str, path: str, *lines: str) -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/1.1", "host: x", *lines]).encode() + b"\r\n"


def test_1100_idle_connections_without_a_key(installation: Installation, beside: Beside) -> None:
    """`select` with descriptors over 1,023 made half of all valid requests a 500."""
    with beside(), attacking(Hold(stranger(installation), b"", 1_100, seconds=6)) as outcomes:
        pass
    outcomes[0].check()


def test_headers_that_come_a_byte_at_a_time(installation: Installation, beside: Beside) -> None:
    opening = head("GET", "/v1/spaces")
    hold = Hold(stranger(installation), opening, 400, drip=b"a", every=1.0, seconds=16)
    with beside(), attacking(hold) as outcomes:
        pass
    outcomes[0].check()
    assert outcomes[0].held == 0, outcomes[0]


def test_bodies_that_come_a_byte_at_a_time(installation: Installation, beside: Beside) -> None:
    """With a key that is real: the server waits for a body, but not for ever."""
    opening = head(
        "POST",
        f"{installation.attacker.space}/graph/explain",
        f"authorization: Bearer {installation.attacker.key}",
        "content-type: application/json",
        "content-length: 100000",
        "",
    )
    hold = Hold(stranger(installation), opening, 300, drip=b" ", every=1.0, seconds=14)
    with beside(), attacking(hold) as outcomes:
        pass
    outcomes[0].check()


@pytest.mark.parametrize("key", [pytest.param(MADE_UP, id="made_up_key"), pytest.param("", id="no_key")])
def test_a_million_brackets_on_six_connections(installation: Installation, beside: Beside, key: str) -> None:
    """`[[],[],…]` of 1 MB was parsed on the event loop before the key was looked at."""
    brackets = b"[" + b"[]," * 333_000 + b"[]]"
    calls = [
        Call("POST", path, brackets, {"content-type": "application/json"})
        for path in (f"{installation.attacker.space}/graph/explain", "/v1/tenants")
    ]
    with beside(), attacking(Hammer(stranger(installation, key), calls, threads=6, seconds=5)) as outcomes:
        pass
    outcomes[0].check()
    assert "401" in outcomes[0].seen, outcomes[0]


def test_a_million_brackets_with_a_real_key(installation: Installation, beside: Beside) -> None:
    bodies = [b"[" + b"[]," * 333_000 + b"[]]", b'{"question": ' + b"[" * 400_000 + b"]" * 400_000 + b"}"]
    bodies += [b'{"a":' * 150_000 + b"1" + b"}" * 150_000, b"[" + b"1e9," * 240_000 + b"1]"]
    bodies += [b'{"question": ' + b"9" * 900_000 + b"}", b'{"question": "' + b"\\u0041" * 150_000 + b'"}']
    calls = [
        Call(
            "POST", f"{installation.attacker.space}/graph/explain", body, {"content-type": "application/json"}
        )
        for body in bodies
    ]
    with beside(), attacking(Hammer(installation.attacker, calls, threads=6, seconds=5)) as outcomes:
        pass
    outcomes[0].check()
    assert set(outcomes[0].seen) <= {"400", "413", "422", "429", "503"}, outcomes[0]


STRANGE = {
    "tls_hello": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 500,
    "http2_preface": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\x00\x00\x12\x04" * 50,
    "http_1_0": b"GET /healthz HTTP/1.0\r\n\r\n",
    "absolute_form": b"GET http://another.example/healthz HTTP/1.1\r\nhost: x\r\n\r\n",
    "no_host": b"GET /healthz HTTP/1.1\r\n\r\n",
    "two_hosts": b"GET /healthz HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n",
    "header_bomb": b"GET /healthz HTTP/1.1\r\nhost: x\r\n" + b"x-a: b\r\n" * 7_000 + b"\r\n",
    "long_header": b"GET /healthz HTTP/1.1\r\nhost: x\r\nx-a: " + b"b" * 500_000 + b"\r\n\r\n",
    "folded_header": b"GET /healthz HTTP/1.1\r\nhost: x\r\nx-a: b\r\n c\r\n\r\n",
    "long_target": b"GET /" + b"a" * 60_000 + b" HTTP/1.1\r\nhost: x\r\n\r\n",
    "nul_target": b"GET /%00/\x00 HTTP/1.1\r\nhost: x\r\n\r\n",
    "continue_never_sent": (
        b"POST /v1/tenants HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\n"
        b"content-length: 1000000\r\ncontent-type: application/json\r\n\r\n"
    ),
    "length_and_chunked": (
        b"POST /v1/tenants HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding:"
        b" chunked\r\ncontent-type: application/json\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\nhost: x\r\n\r\n"
    ),
    "two_lengths": (
        b"POST /v1/tenants HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nabcdef"
    ),
    "signed_length": b"POST /v1/tenants HTTP/1.1\r\nhost: x\r\ncontent-length: +5\r\n\r\nabcde",
    "odd_chunking": b"POST /v1/tenants HTTP/1.1\r\nhost: x\r\ntransfer-encoding: x, chunked\r\n\r\n0\r\n\r\n",
    "chunk_extension_bomb": (
        b"POST /v1/tenants HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1;"
        + b"a" * 200_000
        + b"\r\nx\r\n0\r\n\r\n"
    ),
    "huge_chunk": (
        b"POST /v1/tenants HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n"
    ),
    "websocket": (
        b"GET /v1/spaces HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
        b"sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nsec-websocket-version: 13\r\n\r\n"
    ),
    "pipelined": b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n" * 2_000,
}


@pytest.mark.parametrize("form", ["all"])
def test_requests_that_are_none(installation: Installation, beside: Beside, form: str) -> None:
    """TLS, HTTP/2, header bombs, contradicting lengths, endless chunks and pipelines, forty of each at a
    time.
    """
    attacks = [Hold(stranger(installation), opening, 12, seconds=4) for opening in STRANGE.values()]
    with beside():
        for begin in range(0, len(attacks), 7):
            with attacking(*attacks[begin : begin + 7]) as outcomes:
                pass
            for outcome in outcomes:
                outcome.check()


def test_a_body_in_chunks_of_one_byte(installation: Installation, beside: Beside) -> None:
    """200,000 chunks of a byte are as many messages to the application."""
    body = b"1\r\na\r\n" * 200_000
    opening = head(
        "POST",
        f"{installation.attacker.space}/documents",
        f"authorization: Bearer {installation.attacker.key}",
        "content-type: application/json",
        "transfer-encoding: chunked",
        "",
    )
    hold = Hold(stranger(installation), opening + body, 6, drip=body[:60_000], every=0.2, seconds=6)
    with beside(), attacking(hold) as outcomes:
        pass
    outcomes[0].check()


def test_connections_from_many_addresses(installation: Installation, beside: Beside) -> None:
    """More than one address may hold, and more than the service does: those that wait make room."""
    half = b"GET /v1/spaces HTTP/1.1\r\nhost: x\r\n"
    holds = [
        Hold(stranger(installation), half, 700, drip=b"a", seconds=6, sources=4, first=10 * n) for n in (1, 2)
    ]
    with beside(), attacking(*holds) as outcomes:
        pass
    for outcome in outcomes:
        outcome.check()


def test_routes_that_take_no_key(installation: Installation, beside: Beside) -> None:
    calls = [
        Call("GET", path)
        for path in ("/readyz", "/metrics", "/openapi.json", "/docs", "/healthz", "/nowhere")
    ]
    with beside(), attacking(Hammer(stranger(installation), calls, threads=60, seconds=5)) as outcomes:
        pass
    outcomes[0].check()
    assert "429" in outcomes[0].seen, outcomes[0]


def test_a_flood_of_keys_each_of_them_made_up_anew(installation: Installation, beside: Beside) -> None:
    """A key that nobody has costs a look, and is not looked up again; one after the other all cost one."""
    calls = [
        Call(
            "GET",
            f"{installation.attacker.space}/documents",
            None,
            {"authorization": f"Bearer cg_live_{n:08d}_{'B' * 43}"},
        )
        for n in range(50_000)
    ]
    with beside(), attacking(Hammer(stranger(installation), calls, threads=60, seconds=5)) as outcomes:
        pass
    outcomes[0].check()
    assert set(outcomes[0].seen) <= {"401", "429", "503", "ConnectionResetError"}, outcomes[0]
    assert "429" in outcomes[0].seen, outcomes[0]


def test_bodies_that_stop_before_their_last_byte(installation: Installation, beside: Beside) -> None:
    """Nearly a megabyte each, held by the service for as long as it waits for the rest."""
    target = installation.attacker
    opening = head(
        "POST",
        f"{target.space}/graph/explain",
        f"authorization: Bearer {target.key}",
        "content-type: application/json",
        "content-length: 990000",
        "",
    )
    holds = [Hold(target, opening + b"[" + b"[]," * 320_000, 150, seconds=6, again=True) for _ in range(2)]
    with beside(), attacking(*holds) as outcomes:
        pass
    for outcome in outcomes:
        outcome.check()


def test_the_service_lives_after_all_of_it(installation: Installation) -> None:
    """No error with a trace stands in its log."""
    assert get(installation.neighbour, "/healthz").status == 200
    assert installation.api.poll() is None
    assert "Traceback" not in installation.log("serve"), installation.log("serve")[-6_000:]
