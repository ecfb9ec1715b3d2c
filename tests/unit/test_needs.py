"""A test that the machine cannot run is never passed over in silence."""

import pytest
from _pytest.outcomes import Failed, Skipped

from tests.support.needs import NEEDS, Need, demand, missing_lines

ABSENT = {"telescope": Need(lambda: False, "apt-get install telescope")}


@pytest.fixture(autouse=True)
def telescope(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(NEEDS, "telescope", ABSENT["telescope"])
    monkeypatch.setitem(NEEDS, "paper", Need(lambda: True, "never asked"))


def test_skips_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(Skipped, match=r"needs telescope \(apt-get install telescope\)"):
        demand("paper", "telescope")


def test_fails_in_continuous_integration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    with pytest.raises(Failed, match="needs telescope"):
        demand("telescope")


def test_lets_a_test_run_that_has_all_it_needs() -> None:
    demand("paper")


def test_the_run_ends_by_counting_what_was_not_run() -> None:
    reasons = ["('a.py', 3, 'Skipped: needs telescope (apt-get install telescope)')"] * 2
    assert missing_lines([*reasons, "a skip for another reason"]) == [
        "Tests not run for want of telescope: 2. To get it: apt-get install telescope"
    ]
