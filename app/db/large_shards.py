"""Which spaces of a Citus cluster have tables large enough for plans to be kept.

See `READ_SHARDS_BY_INDEX_COMMANDS`.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from math import inf

from app.ids import SpaceId

ASKED_AGAIN_SECONDS = 5.0
"""Seconds for which a space's tables count as small without asking the Citus node again: the transactions of
one ingest ask once. Until then each foreign key check is planned anew, which is slower and never wrong.
"""
_MAX_SPACES = 10_000


class LargeShards:
    """The spaces whose tables on their Citus node are large, as far as this process knows.

    Tables that were large once count as large from then on, as a plan does that a connection has kept.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # Each with the time until which it holds: for ever if the tables are large.
        self._answers: OrderedDict[SpaceId, tuple[bool, float]] = OrderedDict()

    def are_tables_large(self, space_id: SpaceId, read_whether_large: Callable[[], bool]) -> bool:
        """Return whether the space's tables are large, by the answer that is known, else by that of
        `read_whether_large`.
        """
        with self._lock:
            are_large, valid_until = self._answers.get(space_id, (False, 0.0))
        if time.monotonic() < valid_until:
            return are_large
        are_large = read_whether_large()
        with self._lock:
            valid_until = inf if are_large else time.monotonic() + ASKED_AGAIN_SECONDS
            self._answers[space_id] = are_large, valid_until
            while len(self._answers) > _MAX_SPACES:
                self._answers.popitem(last=False)
        return are_large
