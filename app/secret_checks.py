"""Secrets that would protect nothing are refused at start: known to everybody, or short enough to be
guessed.
"""

from collections.abc import Collection
from typing import Annotated
from urllib.parse import unquote, urlsplit

from pydantic import AfterValidator, SecretStr
from pydantic_core import PydanticCustomError

OPERATOR_KEY_BYTES = 32
"""As long as the random part of an API key: nothing slows down whoever tries keys."""
WELL_KNOWN_SECRETS = frozenset(
    {
        *(
            "admin",
            "change-me",
            "change_me",
            "changeit",
            "changeme",
            "changethis",
            "citegraph",
            "citegraph_app",
        ),
        *(
            "default",
            "example",
            "letmein",
            "master",
            "mysecretpassword",
            "pass",
            "passw0rd",
            "password",
            "postgres",
        ),
        *("postgresql", "qwerty", "redis", "root", "secret", "supersecret", "valkey", "welcome"),
        *("12345", "123456", "12345678", "123456789"),
        # What docker-compose.yml of this project used to fall back to.
        *("local-only-app", "local-only-cursor-secret", "local-only-postgres", "local-only-valkey"),
    }
)
"""Passwords of examples, images and lists of the most frequent ones, in lower case."""

_BROKER_SCHEMES, _HTTP_SCHEMES = ("redis", "rediss", "unix"), ("http", "https")


def _refuse_well_known(secret: str) -> None:
    if secret.lower() in WELL_KNOWN_SECRETS:
        raise PydanticCustomError(
            "well_known_secret", "it is a well-known default; set a random one of your own"
        )


def _check_secret(secret: SecretStr) -> SecretStr:
    _refuse_well_known(secret.get_secret_value())
    return secret


def _check_operator_key(secret: SecretStr) -> SecretStr:
    # Set and empty, as compose passes an unset variable on, keeps the routes closed as before.
    if 0 < len(secret.get_secret_value().encode()) < OPERATOR_KEY_BYTES:
        raise PydanticCustomError(
            "operator_key_short",
            "it must have {least} bytes or more, such as `openssl rand -hex 32` prints",
            {"least": OPERATOR_KEY_BYTES},
        )
    return _check_secret(secret)


def _check_address(address: str) -> str | None:
    """Return the address; None for an empty one, as compose passes an unset variable on."""
    if not address:
        return None
    try:
        password = urlsplit(address).password
    except ValueError:
        # Not an address at all: whoever connects to it says so.
        return address
    if password is not None:
        _refuse_well_known(unquote(password))
    return address


def _can_be_parsed(address: str, schemes: Collection[str], *, needs_host: bool) -> bool:
    """Return whether the clients of a server can parse its address; they would not name the setting."""
    try:
        url_parts = urlsplit(address)
        # Reading the port parses it.
        has_port = url_parts.port != 0
    except ValueError:
        return False
    return url_parts.scheme in schemes and has_port and bool(url_parts.hostname or not needs_host)


def _check_http_address(address: str) -> str:
    if address and not _can_be_parsed(address, _HTTP_SCHEMES, needs_host=True):
        raise PydanticCustomError("http_address", "it is not an address such as http://host:11434/v1")
    return address


def _check_broker_address(address: str) -> str | None:
    if address and not _can_be_parsed(address, _BROKER_SCHEMES, needs_host=False):
        raise PydanticCustomError(
            "broker_address",
            "it is not an address such as redis://:password@host:6379/0, with special characters of the"
            " password percent-encoded",
        )
    return _check_address(address)


def _check_addresses(addresses: str) -> str:
    for address in addresses.split():
        _check_address(address)
    return addresses


OwnSecret = Annotated[SecretStr, AfterValidator(_check_secret)]
OperatorKey = Annotated[SecretStr, AfterValidator(_check_operator_key)]
ServerAddress = Annotated[str, AfterValidator(_check_address)]
"""The address of a server, whose password is not one that everybody knows."""
BrokerAddress = Annotated[str, AfterValidator(_check_broker_address)]
"""The address of Valkey or Redis."""
HttpAddress = Annotated[str, AfterValidator(_check_http_address)]
"""The address of a server that speaks HTTP; an empty one is unset."""
ServerAddresses = Annotated[str, AfterValidator(_check_addresses)]
"""Several of them, separated by spaces."""
