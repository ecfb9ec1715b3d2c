"""How far a reader goes to follow a request: see `python -m benchmarks paths --show` where this fails."""

from app.settings import Settings
from benchmarks.call_paths import TARGETS, follow


def test_a_request_is_followed_through_few_files(settings: Settings) -> None:
    """A call of a helper for each row, or a file of ten lines, is a jump for whoever reads or debugs it."""
    without_broker = settings.model_copy(update={"redis_url": "redis://127.0.0.1:1"})
    counted = {label: (len(each.files), each.moves.total()) for label, each in follow(without_broker).items()}
    over = {
        label: (files, moves, TARGETS[label])
        for label, (files, moves) in counted.items()
        if files > TARGETS[label][0] or moves > TARGETS[label][1]
    }
    assert over == {}
