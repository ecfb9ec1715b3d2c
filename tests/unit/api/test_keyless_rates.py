"""Token buckets by address, and which requests take from them."""

import pytest

from app.domain.client_networks import compute_network_of_client
from app.http import keyless_rates
from app.http.keyless_rates import KeylessRequests, TokenBuckets
from app.settings import Settings

VALID, MADE_UP = "cg_live_0a1b2c3d_" + "A" * 43, "cg_live_0a1b2c3d_" + "B" * 43


class Clock:
    def __init__(self) -> None:
        self.time = 1_000.0

    def __call__(self) -> float:
        return self.time


def made(rate: float = 2, burst: int = 3) -> tuple[TokenBuckets, Clock]:
    clock = Clock()
    return TokenBuckets(rate, burst, now=clock), clock


class TestTokenBuckets:
    def test_a_burst_is_served_and_no_more(self) -> None:
        buckets, _ = made()
        assert [buckets.take_token("a") for _ in range(4)] == [True, True, True, False]
        assert not buckets.has_token("a")

    def test_tokens_come_back_at_the_rate_and_never_over_the_burst(self) -> None:
        buckets, clock = made()
        while buckets.take_token("a"):
            pass
        clock.time += 0.5
        assert [buckets.take_token("a") for _ in range(2)] == [True, False]
        clock.time += 3_600
        assert [buckets.take_token("a") for _ in range(4)] == [True, True, True, False]

    def test_each_address_has_its_own(self) -> None:
        buckets, _ = made()
        while buckets.take_token("a"):
            pass
        assert buckets.take_token("b")

    def test_a_token_that_is_given_back_can_be_taken_again(self) -> None:
        buckets, _ = made(burst=1)
        assert buckets.take_token("a")
        buckets.return_token("a")
        assert buckets.take_token("a")
        assert not buckets.take_token("a")

    def test_a_refused_request_does_not_delay_the_next_token(self) -> None:
        buckets, clock = made(rate=1, burst=1)
        assert buckets.take_token("a")
        for _ in range(9):
            clock.time += 0.1
            assert not buckets.take_token("a")
        clock.time += 0.11
        assert buckets.take_token("a")

    @pytest.mark.parametrize(("rate", "address"), [(0, "a"), (1, "")], ids=["off", "unix socket"])
    def test_nothing_is_limited_without_a_rate_or_an_address(self, rate: float, address: str) -> None:
        buckets, _ = made(rate=rate, burst=1)
        assert all(buckets.take_token(address) for _ in range(10))
        assert buckets.has_token(address)

    def test_no_more_addresses_are_remembered_than_the_bound(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(keyless_rates, "MAX_ADDRESSES", 10)
        buckets, _ = made(burst=1)
        for number in range(100):
            assert buckets.take_token(f"address {number}")
        assert len(buckets._buckets) == 10
        assert not buckets.take_token("address 99")


class TestKeylessRequests:
    def made(self) -> KeylessRequests:
        return KeylessRequests(Settings(keyless_rate=0.001, keyless_burst=1), lambda token: token == VALID)

    @pytest.mark.parametrize(
        ("path", "key", "counts"),
        [
            ("/v1/spaces", VALID, False),
            ("/v1/spaces", MADE_UP, True),
            ("/v1/spaces", "", True),
            ("/v1nothing", VALID, True),
            ("/metrics", VALID, True),
            ("/nowhere", "", True),
        ],
    )
    def test_only_a_verified_key_and_only_under_v1_costs_nothing(
        self, path: str, key: str, counts: bool
    ) -> None:
        keyless = self.made()
        bearer = [(b"authorization", f"Bearer {key}".encode())] if key else []
        assert keyless.is_keyless({"path": path, "headers": bearer}) == counts
        line = f"authorization: Bearer {key}\r\n" if key else ""
        head = f"GET {path}?a=b HTTP/1.1\r\nhost: x\r\n{line}\r\n".encode()
        assert not keyless.would_refuse_head("a", head)
        assert keyless.take_token("a", path)
        assert keyless.would_refuse_head("a", head) == counts
        assert not keyless.would_refuse_head("b", head)

    @pytest.mark.parametrize(
        "head",
        [
            b"GET /nowhere HTTP/1.1\r\nhost: x\r\n",
            b"POST /nowhere HTTP/1.1\r\nContent-Length: 2\r\n\r\n",
            b"POST /nowhere HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n",
            b"\x16\x03\x01\r\n\r\n",
        ],
        ids=["half a head", "a body follows", "chunks follow", "no HTTP"],
    )
    def test_what_is_no_whole_request_is_left_to_the_parser(self, head: bytes) -> None:
        keyless = self.made()
        assert keyless.take_token("a", "/nowhere")
        assert not keyless.would_refuse_head("a", head)

    def test_probes_have_a_share_of_their_own(self) -> None:
        keyless = self.made()
        assert keyless.take_token("a", "/nowhere")
        assert not keyless.take_token("a", "/metrics")
        assert keyless.take_token("a", "/healthz")
        assert not keyless.take_token("a", "/readyz")


@pytest.mark.parametrize(
    ("address", "client"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9%eth0", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("no address: at all", "no address: at all"),
        ("", ""),
    ],
)
def test_a_network_of_ipv6_is_one_client_and_an_address_of_ipv4_is(address: str, client: str) -> None:
    assert compute_network_of_client(address) == client
