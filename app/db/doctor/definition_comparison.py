"""Compare definitions printed by Postgres by meaning, not by spelling.

Postgres prints a condition from its parsed form, and the text depends on how the condition was written, on
the server's version, and on whether it was dumped and restored: `((a OR b) OR c)` comes back as
`(a OR b OR c)`. So both sides are normalised by removing redundant parentheses: around a single pair of
parentheses, and around an AND within an AND or an OR within an OR, which are associative. Nothing else is
treated as equal.
"""

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
      (?P<dollar>\$(?:[A-Za-z_]\w*)?\$) (?:.|\n)*? (?P=dollar)   # $body$ … $body$
    | [Ee]'(?:[^'\\]|''|\\.)*'                                  # E'text\n'
    | '(?:[^']|'')*'                                             # 'text'
    | "(?:[^"]|"")*"                                             # "Name"
    | [A-Za-z_][\w$]*                                            # word
    | \d[\w.]*
    | [()]
    | [^\s\w()'"$]+                                              # operators, commas
    | \S
    """,
    re.VERBOSE,
)
_CONNECTIVES = ("AND", "OR")


@dataclass(frozen=True)
class _Group:
    """The content of one pair of parentheses."""

    items: "tuple[str | _Group, ...]"


_Item = str | _Group


def is_same_definition(left_definition: str, right_definition: str) -> bool:
    """Return whether two definitions differ only in white space and redundant parentheses."""
    return left_definition == right_definition or _parse_definition(left_definition) == _parse_definition(
        right_definition
    )


def _parse_definition(definition: str) -> tuple[_Item, ...]:
    """Return the normalised definition. Unbalanced parentheses are treated as words."""
    open_groups: list[list[_Item]] = [[]]
    for match in _TOKEN.finditer(definition):
        word = match[0]
        if word == "(":
            open_groups.append([])
        elif word == ")" and len(open_groups) > 1:
            items = _simplify_group(open_groups.pop())
            open_groups[-1].append(_Group(items))
        else:
            open_groups[-1].append(word)
    while len(open_groups) > 1:
        group = open_groups.pop()
        open_groups[-1] += ["(", *group]
    return tuple(open_groups[0])


def _simplify_group(items: list[_Item]) -> tuple[_Item, ...]:
    """Return the items of a pair of parentheses without redundant parentheses inside."""
    while len(items) == 1 and isinstance(items[0], _Group):
        items = list(items[0].items)
    connective = _get_connective(items)
    if connective is None:
        return tuple(items)
    simplified_items: list[_Item] = []
    for operand in _split_operands(items, connective):
        if simplified_items:
            simplified_items.append(connective)
        (first_item, *further_items) = operand or [""]
        if (
            isinstance(first_item, _Group)
            and not further_items
            and _get_connective(list(first_item.items)) == connective
        ):
            simplified_items += first_item.items
        else:
            simplified_items += operand
    return tuple(simplified_items)


def _get_connective(items: list[_Item]) -> str | None:
    """Return AND or OR if it alone joins the items; None for a list, a query, or a mix of AND and OR."""
    connectives = {item for item in items if item in _CONNECTIVES}
    if len(connectives) != 1 or "," in items or items[0] in ("SELECT", "WITH", "VALUES"):
        return None
    return str(connectives.pop())


def _split_operands(items: list[_Item], connective: str) -> list[list[_Item]]:
    operands: list[list[_Item]] = [[]]
    for item in items:
        if item == connective:
            operands.append([])
        else:
            operands[-1].append(item)
    return operands
