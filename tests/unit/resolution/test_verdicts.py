"""What verdicts on names say about things that have several."""

from app.graph.resolution.shapes import NameAndType, StoredVerdict
from app.graph.resolution.verdicts import Verdicts, normalise_names_for_verdicts

IBM, LONG = (
    normalise_names_for_verdicts("Organization", "IBM"),
    normalise_names_for_verdicts("Organization", "International Business Machines"),
)


def verdict(same: bool, *, by_person: bool = False) -> StoredVerdict:
    return StoredVerdict(
        NameAndType("ibm", "Organization"),
        NameAndType("international business machines", "Organization"),
        same,
        by_person,
    )


def test_nobody_said() -> None:
    assert Verdicts().find_verdict(IBM, LONG) is None
    assert not Verdicts()


def test_a_no_holds_in_both_directions_and_for_things_with_more_names() -> None:
    said = Verdicts([verdict(False)])
    more = IBM | normalise_names_for_verdicts("Organization", "Big Blue")
    assert said.must_stay_apart(IBM, LONG)
    assert said.must_stay_apart(LONG, more)
    assert not said.must_stay_apart(normalise_names_for_verdicts("Organization", "Big Blue"), LONG)


def test_a_no_outlives_a_change_of_type() -> None:
    assert Verdicts([verdict(False)]).must_stay_apart(normalise_names_for_verdicts("Product", "IBM"), LONG)


def test_between_equal_names_the_type_decides() -> None:
    said = Verdicts(
        [StoredVerdict(NameAndType("mercury", "Location"), NameAndType("mercury", "Product"), False)]
    )
    place, car, god = (
        normalise_names_for_verdicts(kind, "Mercury") for kind in ("Location", "Product", "Person")
    )
    assert said.must_stay_apart(place, car)
    assert said.find_verdict(place, god) is None
    assert said.find_verdict(place, place) is None


def test_a_no_outweighs_a_yes_and_a_person_everybody() -> None:
    yes, no = verdict(True), verdict(False)
    assert Verdicts([yes]).find_verdict(IBM, LONG) is True
    assert Verdicts([yes, no]).find_verdict(IBM, LONG) is False
    assert Verdicts([verdict(True, by_person=True), no]).find_verdict(IBM, LONG) is True
