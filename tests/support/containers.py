"""Servers for tests: containers where a Docker engine answers, else embedded ones."""

import contextlib
import gc
import os
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import docker
import requests
import yaml
from sqlalchemy import URL

from app.db.engine import convert_to_psycopg_url
from app.runtime.supervisor import EmbeddedServers

_COMPOSE = Path(__file__).parents[2] / "docker-compose.yml"
_PING_SECONDS = 3


def engine_answers(environment: Mapping[str, str]) -> bool:
    """Return whether the engine that DOCKER_HOST names, or that of the default socket, answers a ping.

    A socket file proves nothing: a stopped engine leaves it behind.
    """
    with warnings.catch_warnings():
        # The client leaves a socket that could not connect to the garbage collection: to one of what is new
        # since, for all that a test process holds after some thousand tests takes two seconds.
        warnings.simplefilter("ignore", ResourceWarning)
        collecting = gc.isenabled()
        gc.disable()
        try:
            answers = _ping(environment)
            gc.collect(0)
        finally:
            if collecting:
                gc.enable()
    return answers


def _ping(environment: Mapping[str, str]) -> bool:
    try:
        engine = docker.APIClient(
            **docker.utils.kwargs_from_env(environment=environment),
            version=docker.constants.DEFAULT_DOCKER_API_VERSION,
            timeout=_PING_SECONDS,
        )
        with contextlib.closing(engine):
            # Of no version of the API, so that every engine knows it.
            return bool(engine.get(f"{engine.base_url}/_ping", timeout=_PING_SECONDS).ok)
    except (docker.errors.DockerException, requests.RequestException, ValueError):
        return False


@cache
def docker_answers() -> bool:
    """Return whether this process' Docker engine answers; asked once."""
    return engine_answers(os.environ)


def pinned_image(service: str) -> str:
    """The image of a service of docker-compose.yml by its digest alone, which no registry can move."""
    image = str(yaml.safe_load(_COMPOSE.read_text("utf-8"))["services"][service]["image"])
    return re.sub(r":[\w.-]+@", "@", image)


@contextmanager
def postgres_server(folder: Path) -> Iterator[URL]:
    """A superuser's address of a new server: a container, or an embedded one with its files in `folder`.

    Several processes may name one folder; they share the embedded server.
    """
    if docker_answers():
        from testcontainers.community.postgres import PostgresContainer

        with PostgresContainer(pinned_image("postgres"), driver="psycopg") as container:
            yield convert_to_psycopg_url(container.get_connection_url())
        return
    with EmbeddedServers(folder, postgres=True, valkey=False, keeps_data=False) as servers:
        yield convert_to_psycopg_url(servers.postgres.url(database="postgres"))


@contextmanager
def valkey_server(folder: Path) -> Iterator[str]:
    """The address of a new Valkey: a container, or an embedded one.

    Tests that stop, freeze or kill their Valkey use EmbeddedValkey, whose process is theirs.
    """
    if docker_answers():
        from testcontainers.community.valkey import ValkeyContainer

        with ValkeyContainer(pinned_image("valkey")) as container:
            yield f"redis://{container.get_host()}:{container.get_exposed_port()}/0"
        return
    with EmbeddedServers(folder, postgres=False, valkey=True, keeps_data=False) as servers:
        yield servers.redis_url()
