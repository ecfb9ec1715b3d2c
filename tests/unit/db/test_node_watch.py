"""The thread that watches transactions of a cluster is there whenever one begins."""

import threading
from typing import Any, cast

from sqlalchemy import create_engine

from app.db.node_watch import NodeWatch


class Ended(NodeWatch):
    """A watch whose thread ends at once, as by an error that nobody foresaw."""

    def __init__(self) -> None:
        super().__init__(create_engine("postgresql+psycopg://"))
        self.begun: list[threading.Thread] = []

    def _watch_transactions(self) -> None:
        self.begun.append(threading.current_thread())


def test_a_watch_whose_thread_ended_begins_anew() -> None:
    watch = Ended()
    for number in (1, 2):
        with watch.watch_transaction(cast(Any, None), None):
            for thread in list(watch.begun):
                thread.join()
        for thread in threading.enumerate():
            if thread.name == "node_watch":
                thread.join(5)
        assert len(watch.begun) == number
