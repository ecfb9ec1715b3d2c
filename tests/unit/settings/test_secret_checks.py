"""Secrets that everybody knows, or that are too short, are refused at start in one sentence that does not
show them.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from app.db.engine import convert_to_psycopg_url
from app.errors import ConfigurationError
from app.secret_checks import WELL_KNOWN_SECRETS
from app.settings import read_settings
from tests.support.sampling import sampled

ROOT = Path(__file__).parents[3]
# Everything that keeps a secret, and how it would hold one.
PLACES = {
    "CITEGRAPH_DATABASE_URL": "postgresql+psycopg://citegraph_app:{}@db:5432/citegraph",
    "CITEGRAPH_MIGRATION_DATABASE_URL": "postgresql://postgres:{}@db/citegraph",
    "CITEGRAPH_REDIS_URL": "redis://:{}@cache:6379/0",
    "CITEGRAPH_APP_PASSWORD": "{}",
    "CITEGRAPH_CURSOR_SECRET": "{}",
}


@pytest.mark.parametrize("place", PLACES)
def test_a_well_known_secret_is_refused_wherever_it_stands(
    monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    for secret in ("postgres", "changeme", "Secret", "citegraph", "p%6Fstgres"):
        if "://" not in PLACES[place] and "%" in secret:
            continue
        monkeypatch.setenv(place, PLACES[place].format(secret))
        with pytest.raises(ConfigurationError) as refused:
            read_settings()
        assert (
            refused.value.message
            == f"A setting cannot be accepted: {place}: it is a well-known default; set a random one of your"
            " own."
        )
    monkeypatch.setenv(place, PLACES[place].format("5f0c2ad1c8e04d0b"))
    read_settings()


def test_an_address_without_a_password_is_none_of_this(monkeypatch: pytest.MonkeyPatch) -> None:
    for address in ("postgresql://postgres@db/postgres", "postgresql:///citegraph?host=/tmp/x", "no address"):
        monkeypatch.setenv("CITEGRAPH_DATABASE_URL", address)
        assert read_settings().database_url == address


def test_an_empty_address_is_an_unset_one(monkeypatch: pytest.MonkeyPatch) -> None:
    # Requirement 17.4: compose passes an unset variable on as an empty one.
    for name in ("CITEGRAPH_DATABASE_URL", "CITEGRAPH_REDIS_URL"):
        monkeypatch.setenv(name, "")
    settings = read_settings()
    assert (settings.database_url, settings.redis_url) == (None, None)


@pytest.mark.parametrize("address", ["cache:6379", "redis://:a/b@cache:6379/0", "http://cache"])
def test_an_address_that_no_broker_can_have_is_named(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    # Requirement 17.4: without the check, processes end with the traceback of a library.
    monkeypatch.setenv("CITEGRAPH_REDIS_URL", address)
    with pytest.raises(ConfigurationError, match="CITEGRAPH_REDIS_URL: it is not an address") as refused:
        read_settings()
    assert "a/b" not in refused.value.message


@pytest.mark.parametrize(
    "address", ["no address", "host=db dbname=citegraph", "postgresql://admin:hidden@db:port/citegraph"]
)
def test_a_database_address_that_cannot_be_parsed_is_one_sentence(address: str) -> None:
    # Requirement 17.4.
    with pytest.raises(ConfigurationError, match="database URL cannot be parsed") as refused:
        convert_to_psycopg_url(address)
    assert "hidden" not in refused.value.message


def test_a_command_says_it_of_a_database_address_that_cannot_be_parsed() -> None:
    # Requirement 17.4: logs are set up before anything connects, and leave it to the connection to refuse.
    done = subprocess.run(
        [sys.executable, "-m", "app.cli.main", "space", "list"],
        env={**os.environ, "CITEGRAPH_DATABASE_URL": "postgresql://admin:hidden@db:port/citegraph"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Error: The database URL cannot be parsed")
    assert "hidden" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "address", ["http://model:port/v1", "http://[::1/v1", "model:11434", "ftp://model/v1", "http:///v1"]
)
@pytest.mark.parametrize(
    "setting", ["CITEGRAPH_OPENAI_BASE_URL", "CITEGRAPH_EMBEDDING_BASE_URL", "CITEGRAPH_OTLP_ENDPOINT"]
)
def test_an_address_that_no_http_server_can_have_is_named(
    monkeypatch: pytest.MonkeyPatch, setting: str, address: str
) -> None:
    # Requirement 17.4: without the check, commands end with the traceback of a library.
    monkeypatch.setenv(setting, address)
    with pytest.raises(ConfigurationError, match="it is not an address such as http"):
        read_settings()


def test_an_operator_key_shorter_than_32_bytes_is_refused_and_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CITEGRAPH_OPERATOR_KEY", "k" * 31)
    with pytest.raises(ConfigurationError, match="32 bytes or more") as refused:
        read_settings()
    assert "kkk" not in refused.value.message
    for key in ("", "k" * 32):
        monkeypatch.setenv("CITEGRAPH_OPERATOR_KEY", key)
        read_settings()


@pytest.mark.parametrize("entry", sampled(["app.cli.main", "workers.main"], every=2))
def test_the_process_ends_at_start_and_shows_no_secret(entry: str) -> None:
    environment = {**os.environ, "CITEGRAPH_OPERATOR_KEY": "guess-me-7"}
    done = subprocess.run(
        [sys.executable, "-m", entry, *(["serve"] if "cli" in entry else [])],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode != 0
    assert "CITEGRAPH_OPERATOR_KEY: it must have 32 bytes or more" in done.stderr
    assert "guess-me-7" not in done.stdout + done.stderr


def test_compose_has_no_default_for_any_secret() -> None:
    text = (ROOT / "docker-compose.yml").read_text("utf-8")
    used = re.findall(r"\$\{(\w+)(:?[-?+])?([^}]*)\}", text)
    secrets = [variable for variable in used if re.search("PASSWORD|SECRET|KEY", variable[0])]
    assert {name for name, _, _ in secrets} == {
        "POSTGRES_PASSWORD",
        "CITEGRAPH_APP_PASSWORD",
        "VALKEY_PASSWORD",
        "CITEGRAPH_CURSOR_SECRET",
    }
    for name, operator, sentence in secrets:
        assert operator == ":?", name
        assert sentence.startswith(f"Set {name} in .env"), sentence
    # Written out, a secret would follow a name that ends so, or stand in an address.
    for line in text.splitlines():
        assert not re.match(r"\s*\w*(PASSWORD|SECRET|_KEY): *[^\s$]", line), line
        assert not re.search(r"://[^/\s]*:(?!\$\{)[^/\s@]+@", line), line
    assert not [word for word in re.findall(r"local-only-\w+", text) if word in WELL_KNOWN_SECRETS]
