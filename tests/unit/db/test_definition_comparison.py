"""Definitions are compared by what they say: idle parentheses are none of it (review B4)."""

import itertools
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import app.db.doctor
from app.db.doctor.definition_comparison import is_same_definition

NAMES = "abcd"
_CATALOGUE = Path(app.db.doctor.__file__).with_name("catalogue.json")

# A condition as nested lists: a name, or a connective with its operands.
Condition = str | tuple[str, list["Condition"]]
CONDITIONS = st.recursive(
    st.sampled_from(NAMES),
    lambda inner: st.tuples(st.sampled_from(["AND", "OR"]), st.lists(inner, min_size=2, max_size=3)),
    max_leaves=6,
)


def spell(condition: Condition, idle: st.DataObject) -> str:
    """The condition with as many pairs of parentheses as are drawn, and those that it needs."""
    if isinstance(condition, str):
        text = f"({condition} > 0)"
    else:
        connective, operands = condition
        text = "(" + f" {connective} ".join(spell(operand, idle) for operand in operands) + ")"
    pairs = idle.draw(st.integers(0, 2))
    return "(" * pairs + text + ")" * pairs


def truth(spelt: str) -> list[bool]:
    """The values of the condition for all values of its names."""
    code = re.sub(r"\s+", " ", spelt).replace("AND", "and").replace("OR", "or")
    return [
        bool(eval(code, {}, dict(zip(NAMES, values, strict=True))))
        for values in itertools.product((0, 1), repeat=len(NAMES))
    ]


@given(condition=CONDITIONS, idle=st.data())
def test_one_condition_spelt_twice_is_the_same(condition: Condition, idle: st.DataObject) -> None:
    one, other = (f"CHECK ({spell(condition, idle)})" for _ in range(2))
    assert is_same_definition(one, other)


@given(one=CONDITIONS, other=CONDITIONS, idle=st.data())
def test_what_is_called_the_same_holds_for_the_same_rows(
    one: Condition, other: Condition, idle: st.DataObject
) -> None:
    first, second = f"({spell(one, idle)})", f"({spell(other, idle)})"
    if is_same_definition(first, second):
        assert truth(first) == truth(second)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("WHEN (((a OR b) OR c)) EXECUTE", "WHEN ((a OR b OR c))  EXECUTE"),
        (
            "((old.x IS DISTINCT FROM new.x) OR (f(y) = 1))",
            "((((old.x IS DISTINCT FROM new.x)) OR (f(y) = 1)))",
        ),
        ("CHECK ((x > 0))", "CHECK (\n    (x > 0))"),
    ],
)
def test_the_same(one: str, other: str) -> None:
    assert is_same_definition(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("((a AND b) OR c)", "(a AND (b OR c))"),
        ("(NOT (a OR b))", "(NOT a OR b)"),
        ("f(a)", "f a"),
        ("f((a))", "f(b)"),
        ("(x IN (1, 2))", "(x IN (1, (2, 3)))"),
        ("(x = '((a))')", "(x = '(a)')"),
        (r"(x = 'a\' OR y = '((b))')", r"(x = 'a\' OR y = '(b)')"),
        ("AS $f$ SELECT ((1)) $f$", "AS $f$ SELECT (1) $f$"),
        ("AS $f$ SELECT  1 $f$", "AS $f$ SELECT 1 $f$"),
        ('("A B" > 0)', '("A  B" > 0)'),
        ("(true)", "(true OR true)"),
        ("USING (true)", "USING (true))"),
        ("(a = 1)", "(a = 10)"),
        ("(a >= 1)", "(a > 1)"),
        ("x::text", "x::text[]"),
        ("(a OR (SELECT b OR c))", "(a OR SELECT b OR c)"),
        ("(a OR (b, c OR d))", "(a OR b, c OR d)"),
    ],
)
def test_another(one: str, other: str) -> None:
    assert not is_same_definition(one, other)


def test_no_two_definitions_of_one_table_are_taken_for_each_other() -> None:
    for aspects in json.loads(_CATALOGUE.read_text("utf-8")).values():
        values = {value for value in aspects.values() if len(value) > 20}
        assert [pair for pair in itertools.combinations(values, 2) if is_same_definition(*pair)] == []
