"""Log lines: no secret in any form of them, JSON where it is asked for, never on stdout."""

import json
import logging

import pytest
import structlog

from app.errors import ConfigurationError
from app.observability.logs import configure_logging, redact_secrets
from app.settings import Settings

KEY = f"cg_live_abcd2345_{'x' * 43}"
SECRETS = {
    KEY: "x" * 43,
    "cg_something-else": "something-else",
    "sk-proj-abcdefgh12345678": "abcdefgh12345678",
    "Authorization: Bearer abcdefgh12345678": "abcdefgh12345678",
    "postgresql://user:pass-word@host/db": "pass-word",
    "redis://:pass-word@host:6379/0": "pass-word",
}


@pytest.mark.parametrize(("line", "secret"), SECRETS.items())
def test_blots_out_the_secret_and_leaves_the_rest(line: str, secret: str) -> None:
    shown = redact_secrets(f"before {line} after")
    assert secret not in shown
    assert shown.startswith("before ")
    assert shown.endswith(" after")


def test_leaves_the_public_id_of_a_key_and_ordinary_words() -> None:
    assert "cg_live_abcd2345_***" in redact_secrets(KEY)
    assert (
        redact_secrets("a task-list at https://example.org/a:b@c")
        == "a task-list at https://example.org/a:b@c"
    )


@pytest.mark.parametrize("as_json", [False, True])
def test_values_messages_and_tracebacks_are_covered(
    capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    configure_logging(Settings(log_json=as_json))
    structlog.get_logger("one").warning("spoke", key=KEY, nested={"address": "redis://:pass-word@host/0"})
    logging.getLogger("two").error("library said %s", KEY)
    try:
        raise ValueError(KEY)
    except ValueError:
        structlog.get_logger("three").exception("failed")
    said = capsys.readouterr()
    assert said.out == ""
    assert "x" * 43 not in said.err
    assert "pass-word" not in said.err
    assert "ValueError" in said.err
    if as_json:
        assert {json.loads(line)["event"] for line in said.err.splitlines()} >= {"spoke", "failed"}


def test_a_second_set_up_says_each_line_once(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        configure_logging(Settings())
    logging.getLogger("one").warning("only once")
    assert capsys.readouterr().err.count("only once") == 1


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="CITEGRAPH_LOG_LEVEL"):
        configure_logging(Settings(log_level="LOUD"))
