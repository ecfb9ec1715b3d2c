"""A failure whose code answers no request, or that nobody registered, keeps the status of its kind."""

import pytest

from app.errors import CitegraphError, Conflict, InvalidInput, NotFound, TooMany, Unavailable
from workers.runner import build_failure_from_exception


@pytest.mark.parametrize(
    ("error", "status"),
    [
        # Codes that are told of a chunk or document alone, and codes of another version's server.
        (InvalidInput("It took too long.", code="chunk_timeout"), 422),
        (InvalidInput("A part was left out.", code="left_out"), 422),
        (Conflict("It is so already.", code="of_a_later_version"), 409),
        (TooMany("Too many of them.", code="of_a_later_version"), 429),
        (Unavailable("It is down.", code="of_a_later_version"), 503),
        (CitegraphError("It was refused.", code="of_a_later_version"), 400),
        # A registered code says its own status, whichever class brings it.
        (InvalidInput("The model is not here.", code="embedder_missing"), 503),
        (NotFound("space"), 404),
    ],
)
def test_a_failure_has_the_status_of_its_code_or_else_of_its_kind(error: CitegraphError, status: int) -> None:
    assert error.status == status
    assert build_failure_from_exception(error).is_retryable == (status >= 500)
