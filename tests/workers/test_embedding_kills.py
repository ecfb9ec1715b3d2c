"""A change of the embedding model by a real worker that is really killed: taken over, nothing embedded twice
(fault 28).
"""

from pathlib import Path

import pytest

from app.db.database import Database
from app.ingest.model_double_answers import RulesAnswerer
from app.llm.testing import ModelDouble
from app.settings import Settings
from tests.conftest import Home
from tests.support.embeddings import LONGER, OTHER, Changing
from tests.support.ingest import corpus, ingest_now
from tests.support.sampling import sampled
from tests.workers.conftest import Workers, wait_until


@pytest.mark.slow
@pytest.mark.parametrize("step", sampled(["stored", "changing over", "changed over"], every=3))
@pytest.mark.soak
def test_a_killed_process_is_taken_over_and_no_text_is_paid_twice(
    step: str, database: Database, settings: Settings, home: Home, workers: Workers, tmp_path: Path
) -> None:
    """Between two batches, inside the transaction that changes over, and right after it."""
    ingest_now(database, settings, home, corpus()[:3])
    armed = tmp_path / "armed"
    armed.touch()
    with ModelDouble(RulesAnswerer()) as double:
        changing = Changing(database, settings, home, double.base_url)
        job_id = changing.ask()
        workers.start(fail_at=step, fail_file=armed, extra={"OPENAI_BASE_URL": double.base_url})
        wait_until(lambda: not armed.exists(), what=f"the worker to be killed at {step}")
        assert set(changing.sets()) == {0, 1}
        wait_until(lambda: changing.job(job_id).state == "done", what="the change to be taken over")
        assert changing.model() == (OTHER, LONGER, 1)
        assert changing.sets()[1] == changing.rows()
        sent = [text for body in double.bodies for text in body["input"]]
        assert len(sent) == len(set(sent))
        assert changing.job(job_id).attempt == 2
        changing.close()
