"""The catalogue that `citegraph doctor` expects is the one that the migrations make."""

from sqlalchemy import URL

from tests.support.catalogue import FILE, described


def test_the_expected_catalogue_is_that_of_a_fresh_migration(privileged_url: URL) -> None:
    found = described(privileged_url)
    assert found == FILE.read_text("utf-8"), (
        "app/db/doctor/catalogue.json is not what the migrations make: run `make catalogue` and commit the"
        " file"
    )
