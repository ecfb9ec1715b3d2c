"""Who may take whose place: a country's capital, a head of the same office, no head of another."""

import pytest

from app.domain.office_succession import RoleStatement, may_have_succeeded
from app.domain.relation_types import SINGLE_SOURCE


@pytest.mark.parametrize(
    ("quote", "earlier"),
    [
        ("Mara Ilic is the CEO of Rook.", "Hugo Senn, CEO of Rook, spoke."),
        (
            "Mara Ilic became chief executive officer of Rook.",
            "Hugo Senn was chief executive officer of Rook.",
        ),
        ("Mara Ilic now leads Rook.", "Hugo Senn is the CEO of Rook."),
        ("Mara Ilic is vice chairwoman of Rook.", "Hugo Senn was Vice-Chairwoman of Rook."),
        ("许宁是赤松航运的董事长。", "高峰是赤松航运的董事长。"),
        ("Mara Ilic ist Geschäftsführerin der Rook AG.", "Hugo Senn ist Geschäftsführer der Rook AG."),
    ],
)
def test_one_may_follow_the_other(quote: str, earlier: str) -> None:
    assert may_have_succeeded("head_of", RoleStatement(quote), RoleStatement(earlier))


@pytest.mark.parametrize(
    ("quote", "earlier"),
    [
        ("Mara Ilic is the CTO of Rook.", "Hugo Senn is the CEO of Rook."),
        ("Mara Ilic is the chief financial officer of Rook.", "Hugo Senn is the chief executive of Rook."),
        ("Mara Ilic is the deputy mayor of Linz.", "Hugo Senn is the mayor of Linz."),
        ("Mara Ilic is co-chair of Rook.", "Hugo Senn is co-chair of Rook."),
        ("Mara Ilic is a director of Rook.", "Hugo Senn is a director of Rook."),
        ("Mara Ilic is acting mayor of Linz.", "Hugo Senn is the mayor of Linz."),
        *(
            (f"Mara Ilic is {vice}{office} of Rook.", f"Hugo Senn is {office} of Rook.")
            for office in ("president", "chairman", "mayor", "governor", "rector", "principal")
            for vice in ("vice-", "vice ")
        ),
    ],
)
def test_both_may_be_in_office(quote: str, earlier: str) -> None:
    assert not may_have_succeeded("head_of", RoleStatement(quote), RoleStatement(earlier))
    assert not may_have_succeeded("head_of", RoleStatement(earlier), RoleStatement(quote))


def test_only_types_that_are_so_by_meaning_hold_for_one_source() -> None:
    assert sorted(SINGLE_SOURCE) == ["capital_of", "head_of"]
    assert may_have_succeeded("capital_of", RoleStatement(""), RoleStatement(""))


@pytest.mark.parametrize(
    ("role", "earlier", "follows"),
    [
        ("CEO", "ceo", True),
        ("dean", "associate dean", False),
        ("", "", False),
        ("dean", "", False),
        # Where one of the two was not asked, the words of its quote tell.
        ("CTO", None, True),
        ("", None, False),
    ],
)
def test_the_role_that_a_model_names_decides_in_any_language(
    role: str, earlier: str | None, follows: bool
) -> None:
    statements = (RoleStatement("許寧是赤松的院長。", role), RoleStatement("高峰是赤松的院長。", earlier))
    assert may_have_succeeded("head_of", *statements) is follows
    assert may_have_succeeded("head_of", *reversed(statements)) is follows
