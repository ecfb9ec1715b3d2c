"""Addresses that the product prints or hands to another program say there what was put in (review B9)."""

import json
from pathlib import Path
from urllib.parse import quote

import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st
from kombu.utils.url import url_to_parts
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import URL

from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.runtime.postgres import EmbeddedPostgres
from app.runtime.valkey import EmbeddedValkey

# Whatever a host, a password generator or a home directory may hold; no NUL, which no Postgres takes.
_CHARACTERS = st.one_of(
    st.sampled_from(list(" +%:/?#[]@!$&'()*,;=\\\"<>^`{|}~.-_\t")),
    st.characters(exclude_characters="\0", exclude_categories=["Cs"]),
)
_TEXTS = st.text(_CHARACTERS, min_size=1, max_size=20)
_SOCKETS = _TEXTS.map(lambda name: "/" + name.replace(",", "").strip("/"))
_HOSTS = st.sampled_from(["db.example.com", "10.0.0.7", "::1", "fe80::1"])


def _parsed(address: str) -> dict[str, str]:
    """The parameters that libpq reads in the address."""
    return {name: str(value) for name, value in conninfo_to_dict(address).items()}


@given(user=_TEXTS, password=_TEXTS, database=_TEXTS, host=_HOSTS, port=st.integers(1, 65535))
def test_libpq_reads_what_was_put_in(user: str, password: str, database: str, host: str, port: int) -> None:
    url = URL.create("postgresql+psycopg", user, password, host, port, database)
    assert _parsed(convert_to_conninfo(url)) == {
        "user": user,
        "password": password,
        "host": host,
        "port": str(port),
        "dbname": database,
    }


@given(user=_TEXTS, password=st.none() | _TEXTS, database=_TEXTS, sockets=_SOCKETS, options=_TEXTS)
def test_also_of_a_socket_with_options(
    user: str, password: str | None, database: str, sockets: str, options: str
) -> None:
    """`citegraph psql --print-url` adds `-c app.space_id=…`: its space was printed as `+`."""
    url = URL.create("postgresql+psycopg", user, password, database=database)
    url = url.update_query_dict({"host": sockets, "port": "5432", "options": options})
    told = {"user": user, "host": sockets, "port": "5432", "dbname": database, "options": options}
    assert _parsed(convert_to_conninfo(url)) == told | ({} if password is None else {"password": password})


@given(user=_TEXTS, password=_TEXTS, sockets=_SOCKETS, database=_TEXTS)
def test_an_address_of_the_settings_reaches_libpq_as_it_was_written(
    user: str, password: str, sockets: str, database: str
) -> None:
    address = "postgresql://{}:{}@/{}?host={}".format(
        *(quote(part, safe="") for part in (user, password, database, sockets))
    )
    assert _parsed(convert_to_conninfo(convert_to_psycopg_url(address))) == _parsed(address)


def test_several_servers_keep_each_its_port() -> None:
    address = "postgresql://app@/citegraph?host=one:5432&host=two:5433&sslmode=require"
    assert _parsed(convert_to_conninfo(convert_to_psycopg_url(address))) == {
        "user": "app",
        "host": "one,two",
        "port": "5432,5433",
        "dbname": "citegraph",
        "sslmode": "require",
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("server")


def _record(folder: Path, sockets: str) -> None:
    """Write that the sockets of the folder's server lie in `sockets`."""
    (folder / "home").mkdir(exist_ok=True)
    record = {"folder": str(folder), "home": str(folder / "home"), "sockets": sockets}
    (folder / "place.json").write_text(json.dumps(record))


@given(sockets=_SOCKETS, user=_TEXTS, database=_TEXTS)
def test_the_embedded_postgres_names_its_socket(folder: Path, sockets: str, user: str, database: str) -> None:
    _record(folder, sockets)
    address = EmbeddedPostgres(folder).url(database, user)
    assert _parsed(convert_to_conninfo(convert_to_psycopg_url(address))) == {
        "user": user,
        "host": str(Path(sockets)),
        "port": "5432",
        "dbname": database,
    }


@given(sockets=_SOCKETS)
def test_the_embedded_valkey_names_its_socket_to_both_clients(folder: Path, sockets: str) -> None:
    _record(folder, sockets)
    server, path = EmbeddedValkey(folder), str(Path(sockets) / "valkey.sock")
    with redis.Redis.from_url(server.url()) as client:
        assert client.connection_pool.connection_kwargs["path"] == path
    celery = url_to_parts(server.celery_url())
    assert (celery.scheme, "/" + str(celery.path)) == ("redis+socket", path)
