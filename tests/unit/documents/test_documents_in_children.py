"""What every child of a sandbox needs is read before it is forked, not by each of them again."""

import pytest

from app.sandbox.process_sandbox import ProcessSandbox
from app.sandbox.shapes import Fault
from tests.support.reading import get_fork_server
from tests.support.sandboxed import seconds_of_reading

# It took 0.13 s while each child read the vocabulary of tokens anew, and another script 0.3 s.
MOST_SECONDS = 0.06


@pytest.mark.parametrize("text", ["Ada knew Charles Babbage.", "Łódź is größer als Žatec, says 北京."])
def test_a_child_reads_its_first_text_fast(text: str) -> None:
    sandbox = ProcessSandbox(memory_bytes=1 << 29, fork_server=get_fork_server())
    seconds: list[float] = []
    for _ in range(3):
        with sandbox.open_session() as session:
            (answer,) = session.map(seconds_of_reading, None, [(text, 20)])
        assert not isinstance(answer, Fault)
        seconds.append(answer)
    assert min(seconds) < MOST_SECONDS, seconds
