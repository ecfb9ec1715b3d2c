"""The same content at a second address is read from what is known: no call, no vector is paid again."""

from app.db.database import Database
from app.documents.shapes import Submission
from app.llm.testing import ModelDouble
from app.settings import Settings
from tests.conftest import Home
from tests.llm.test_prefetched_calls import Watching, running
from tests.support.ingest import picture, submit

BODY = "Bob Stone works for Acme Corporation. Acme Corporation is located in Hull."


def test_no_passage_is_asked_about_again(database: Database, settings: Settings, home: Home) -> None:
    """Though another file name gives the document another title."""
    watching = Watching()
    with ModelDouble(watching) as double, running(database, settings, double) as runner:
        submit(database, home, Submission(BODY.encode(), "text", "", source_uri="one/a.txt"))
        runner.drain()
        paid, known = len(watching.asked), picture(database, home)["edges"]
        assert paid > 0
        submit(database, home, Submission(BODY.encode(), "text", "", source_uri="two/b.txt"))
        runner.drain()
    assert len(watching.asked) == paid
    after = picture(database, home)
    assert after["edges"] == known
    assert {row[0] for row in after["mentions"]} == {"a.txt", "b.txt"}
    assert {row[0] for row in after["chunks"]} == {"a.txt", "b.txt"}
