"""Names: normalised for look-up, cleaned for display, refused where they name nothing (requirement 5.1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.graph.names import MAX_NAME_BYTES, choose_fuller_name, clean_name, may_node_have_name, normalise_name


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("caf\u00e9", "cafe\u0301"),
        ("Open\u200bAI", "OpenAI"),
        ("Open\u00adAI", "openai"),
        ("\u202eOracle\u202c", "oracle"),
        ("Stonebraker's", "Stonebraker"),
        ("Stonebraker\u2019s", "stonebraker"),
        ("J. R. R. Tolkien", "J.R.R. Tolkien"),
        ("U.S.", "US"),
        ("Node.js", "node js"),
        ("Burne-Jones", "Burne Jones"),
        ("  Sun\tMicrosystems ", "sun microsystems"),
        ("Morris & Co.", "Morris and Co"),
        ("\uff30ostgres", "postgres"),
        ("STRASSE", "straße"),
    ],
)
def test_spellings_of_one_name_are_one_name(a: str, b: str) -> None:
    assert normalise_name(a) == normalise_name(b) != ""


@pytest.mark.parametrize(
    ("a", "b"), [("C", "C++"), ("C", "C#"), ("C++", "C#"), ("F", "F#"), ("\u0410BC", "ABC")]
)
def test_what_makes_the_name_is_kept_and_homoglyphs_stay_different(a: str, b: str) -> None:
    assert normalise_name(a) != normalise_name(b)


@pytest.mark.parametrize(
    "name",
    ["he", "They", "It", "which", "1970", "3.14", "10th", "March", "Monday", "June 1998", "x", "the", "of the", "",  # noqa: E501
     "  ", "\u200b\u200d", "***", "a" * 600, "x" * 1_000_000, "\u202e"],
)  # fmt: skip
def test_a_pronoun_number_date_or_nothing_is_no_name(name: str) -> None:
    assert not may_node_have_name(name)


@pytest.mark.parametrize(
    "name",
    ["C++", "C#", "US", "WHO", "pgvector", "Oracle 7", "東", "<script>alert(1)</script>", "=HYPERLINK(1)"],
)
def test_a_name_may_be_short_or_odd(name: str) -> None:
    assert may_node_have_name(name)
    assert normalise_name(name)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("the Ingres  project", "Ingres project"),
        ("The Hague", "The Hague"),
        ('"Postgres"', "Postgres"),
        ("\u202eOracle\u202c", "Oracle"),
        ("a\u0300 la carte", "à la carte"),
        ("C\x00\x01Store", "C Store"),
        ("lone\ud800", "lone"),
    ],
)
def test_the_shown_form_is_clean(name: str, shown: str) -> None:
    assert clean_name(name) == shown


@given(st.text())
def test_names_are_stable_bounded_and_never_empty_when_accepted(name: str) -> None:
    shown = clean_name(name)
    assert len(shown.encode()) <= MAX_NAME_BYTES
    assert "\n" not in shown
    if may_node_have_name(name):
        assert normalise_name(name)
        assert shown


@given(st.text(max_size=40))
def test_normalising_twice_changes_nothing_for_accepted_names(name: str) -> None:
    once = normalise_name(name)
    if may_node_have_name(name):
        assert normalise_name(once).replace(" ", "") != ""


NAMES = st.sampled_from(
    ["IBM", "Ibm", "ibm", "International Business Machines", "Big Blue", "BIG BLUE", "Big blue"]
)


@given(st.lists(NAMES, min_size=1, max_size=6))
def test_the_fuller_name_does_not_depend_on_the_order(names: list[str]) -> None:
    def fold(order: list[str]) -> str:
        best = order[0]
        for name in order[1:]:
            best = choose_fuller_name(best, name)
        return best

    assert len({fold(names), fold(names[::-1]), fold(sorted(names))}) == 1


def test_more_words_then_length_then_mixed_case_win() -> None:
    assert choose_fuller_name("Codd", "E. F. Codd") == "E. F. Codd"
    assert choose_fuller_name("Postgres", "PostgreSQL") == "PostgreSQL"
    assert choose_fuller_name("ORACLE", "Oracle") == "Oracle"
