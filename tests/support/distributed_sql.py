"""Reads named SQL with Postgres' own parser and says what a Citus cluster would refuse or spread over shards.

The rules are those of docs/citus.md. They hold where no cluster is at hand: what is checked is the text.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pglast
import psycopg
from pglast import ast, enums
from pglast.visitors import Ancestor, Skip, Visitor
from sqlalchemy import URL

from app.db.engine import convert_to_conninfo
from app.db.table_distribution import ANCHOR, DISTRIBUTED, LOCAL_TABLES, SHARDED
from app.db.table_distribution import SPACE_ID as SPACE

# Casts that ask the session how to read a text: Citus takes none of a column in a statement that writes.
STABLE_CASTS = {"timestamptz", "date", "timestamp"}
CHANGING = (ast.InsertStmt, ast.UpdateStmt, ast.DeleteStmt)
# Nodes' clocks differ: no time that one of them reads may be compared with another's, or with the queue's.
CLOCKS = {"now", "clock_timestamp", "statement_timestamp", "transaction_timestamp", "timeofday"}
LATE = (ast.CaseExpr, ast.CaseWhen, ast.CoalesceExpr)


@dataclass(frozen=True)
class Scope:
    """One query by itself: the tables that it names, by alias, and the conditions that all its rows meet."""

    tables: Mapping[str, str]
    conditions: Sequence[Any]


def faults_of(text: str, names: Sequence[str], volatility: Mapping[str, str]) -> list[str]:
    """Each way in which the statement, with $1, $2 … for `names`, breaks a rule.

    `volatility` is that of each function of the catalogue: i, s or v.
    """
    space = names.index("space_id") + 1 if "space_id" in names else 0
    found = []
    for parsed in pglast.parse_sql(text):
        written: Any = parsed.stmt
        touched = tables_of(written)
        checker = _Checker(space, volatility, _common_tables(written), content=bool(touched & DISTRIBUTED))
        checker(written)
        if touched & DISTRIBUTED and _is(written, ast.SelectStmt):
            found += [
                f"{name}() in a result, by the clock of a node: the space's transaction_time"
                for name in _functions(written.targetList or ())
                if name in CLOCKS
            ]
        if touched & DISTRIBUTED and (beside := touched & LOCAL_TABLES):
            found.append(f"reads {', '.join(sorted(beside))} of the coordinator beside content")
        found += checker.faults
    return list(dict.fromkeys(found))


def functions_of(server: URL) -> dict[str, str]:
    """The volatility of each function by name, as this database has it: i, s or v; of namesakes the most."""
    with psycopg.connect(convert_to_conninfo(server)) as connection:
        rows = connection.execute(
            "SELECT proname::text, max(provolatile::text) FROM pg_proc WHERE prokind = 'f' GROUP BY proname"
        )
        return dict(rows.fetchall())


def tables_of(statement: Any) -> set[str]:
    """The names of all tables in the statement, also in those within it."""
    found: set[str] = set()

    class Names(Visitor):
        def visit_RangeVar(self, _ancestors: Ancestor, node: Any) -> None:
            found.add(str(node.relname))

    Names()(statement)
    return found


class _Checker(Visitor):
    def __init__(
        self, space: int, volatility: Mapping[str, str], common: Collection[str], *, content: bool
    ) -> None:
        self.space, self.volatility, self.common, self.content = space, volatility, common, content
        self.faults: list[str] = []

    def visit_SelectStmt(self, _ancestors: Ancestor, node: Any) -> None:
        self._keyed(_scope(node.fromClause, node.whereClause))

    def visit_DeleteStmt(self, _ancestors: Ancestor, node: Any) -> None:
        self._keyed(_scope((node.relation, *(node.usingClause or ())), node.whereClause))

    def visit_UpdateStmt(self, _ancestors: Ancestor, node: Any) -> None:
        self._keyed(_scope((node.relation, *(node.fromClause or ())), node.whereClause))
        if node.relation.relname in DISTRIBUTED:
            self._written(node.targetList)
            self._late(node)
            self._chosen(node.whereClause)

    def visit_CommonTableExpr(self, _ancestors: Ancestor, node: Any) -> None:
        query = node.ctequery
        if _is(query, ast.InsertStmt) and query.relation.relname in DISTRIBUTED:
            self.faults.append(
                f"an INSERT into {query.relation.relname} in a CTE, which others wait for: by itself"
            )

    def visit_CaseExpr(self, _ancestors: Ancestor, node: Any) -> None:
        if node.arg is not None and self.content:
            self.faults.append(
                "CASE … WHEN value, which is not written back as it was read: CASE WHEN … = value"
            )

    def visit_SubLink(self, _ancestors: Ancestor, node: Any) -> None:
        if _is(node.testexpr, ast.RowExpr) and self.content:
            self.faults.append("(a, b) IN (SELECT …), which is written back as = ANY (SELECT a, b): join it")

    def visit_InsertStmt(self, _ancestors: Ancestor, node: Any) -> None:
        table = str(node.relation.relname)
        if table in DISTRIBUTED:
            for clause in (node.withClause, node.selectStmt and node.selectStmt.withClause):
                for name in (
                    [query.ctename for query in clause.ctes if _is(query.ctequery, CHANGING)]
                    if clause
                    else ()
                ):
                    self.faults.append(
                        f"{name} changes rows in a CTE of an INSERT into {table}: a statement before it"
                    )
        if table not in DISTRIBUTED or node.selectStmt is None:
            return
        if node.onConflictClause is not None:
            for name in _functions(node.onConflictClause):
                if self.volatility.get(name, "i") != "i":
                    self.faults.append(f"{name}() in what a conflict sets of {table}")
        if node.selectStmt.valuesLists is not None:
            return
        place = [str(column.name) for column in node.cols].index(SPACE)
        value = node.selectStmt.targetList[place].val
        if not (_is(value, ast.ColumnRef) and _column(value) == SPACE):
            self.faults.append(f"an INSERT into {table} whose space is no column of a table: see {ANCHOR}")
        for returned in node.returningClause.exprs if node.returningClause else ():
            if any(len(column.fields) < 2 for column in _columns(returned)):
                self.faults.append(f"RETURNING of an INSERT into {table} names a column without its table")
        for name in _functions(node.selectStmt.targetList):
            if self.volatility.get(name, "i") == "v":
                self.faults.append(f"{name}() for each row of an INSERT into {table}")

    def visit_FuncCall(self, _ancestors: Ancestor, node: Any) -> None:
        if node.funcname[-1].sval == "set_config":
            self.faults.append("set_config(), which no worker hears of: SET LOCAL")

    def _keyed(self, scope: Scope) -> None:
        """Each table of content is compared with the space, or with another one that is."""
        theirs = {
            alias for alias, name in scope.tables.items() if name in SHARDED and name not in self.common
        }
        known: set[str] = set()
        while True:
            before = len(known)
            for one, other in _equalities(scope.conditions):
                for left, right in ((one, other), (other, one)):
                    alias = _space_of(left, theirs)
                    if alias and (self._is_space(right) or _space_of(right, theirs) in known):
                        known.add(alias)
            if len(known) == before:
                break
        self.faults += [f"{scope.tables[alias]} is not read by its space" for alias in sorted(theirs - known)]

    def _is_space(self, node: Any) -> bool:
        while _is(node, ast.TypeCast):
            node = node.arg
        return _is(node, ast.ParamRef) and node.number == self.space != 0

    def _written(self, targets: Sequence[Any]) -> None:
        """What an UPDATE sets: each row is worked out on a worker, which knows no time of the statement."""
        faults, volatility = self.faults, self.volatility

        class Values(Visitor):
            def visit_SubLink(self, _ancestors: Ancestor, _node: Any) -> object:
                return Skip

            def visit_FuncCall(self, ancestors: Ancestor, node: Any) -> None:
                name = str(node.funcname[-1].sval)
                kind = volatility.get(name, "i")
                depends = _within(ancestors, LATE) or bool(_columns(node.args or ()))
                if kind == "v" or (kind == "s" and depends):
                    faults.append(f"{name}() in what an UPDATE sets row by row: (SELECT {name}())")

            def visit_TypeCast(self, _ancestors: Ancestor, node: Any) -> None:
                if str(node.typeName.names[-1].sval) in STABLE_CASTS and _is(node.arg, ast.ColumnRef):
                    faults.append(f"a cast of {_column(node.arg)} to a time in what an UPDATE sets")

        Values()(tuple(targets))

    def _chosen(self, condition: Any) -> None:
        """What chooses the rows of an UPDATE: no function that settings of the session would change."""
        faults, volatility = self.faults, self.volatility

        class Calls(Visitor):
            def visit_SubLink(self, _ancestors: Ancestor, _node: Any) -> object:
                return Skip

            def visit_FuncCall(self, _ancestors: Ancestor, node: Any) -> None:
                name = str(node.funcname[-1].sval)
                if volatility.get(name, "i") != "i" and _columns(node.args or ()):
                    faults.append(f"{name}() of a column in what chooses the rows of an UPDATE")

        if condition is not None:
            Calls()(condition)

    def _late(self, statement: Any) -> None:
        """What an UPDATE works out for some rows alone, also in a query that it reads: it is merged in."""
        faults, volatility = self.faults, self.volatility

        class Calls(Visitor):
            def visit_SubLink(self, _ancestors: Ancestor, _node: Any) -> object:
                return Skip

            def visit_FuncCall(self, ancestors: Ancestor, node: Any) -> None:
                name = str(node.funcname[-1].sval)
                if volatility.get(name, "i") != "i" and _within(ancestors, LATE):
                    faults.append(
                        f"{name}() in CASE or COALESCE of an UPDATE: out of it, or (SELECT {name}())"
                    )

        Calls()(
            tuple(
                clause
                for clause in (statement.targetList, statement.fromClause, statement.whereClause)
                if clause
            )
        )


def _is(node: Any, kinds: Any) -> bool:
    # Not isinstance itself: each node's parts are optional to a type checker, whatever the grammar says.
    return isinstance(node, kinds)


def _within(ancestors: Ancestor, kinds: tuple[type, ...]) -> bool:
    step: Any = ancestors
    while step is not None:
        if _is(step.node, kinds):
            return True
        step = step.parent
    return False


def _scope(sources: Sequence[Any] | None, condition: Any) -> Scope:
    tables: dict[str, str] = {}
    conditions = [condition] if condition is not None else []

    def walk(node: Any) -> None:
        if _is(node, ast.RangeVar):
            tables[str(node.alias.aliasname if node.alias else node.relname)] = str(node.relname)
        elif _is(node, ast.JoinExpr):
            walk(node.larg)
            walk(node.rarg)
            if node.quals is not None:
                conditions.append(node.quals)
        elif _is(node, ast.RangeTableSample):
            walk(node.relation)

    for source in sources or ():
        walk(source)
    return Scope(tables, conditions)


def _equalities(conditions: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """The pairs that are equal in every row: those that AND alone stands over."""
    for condition in conditions:
        if _is(condition, ast.BoolExpr) and condition.boolop == enums.BoolExprType.AND_EXPR:
            yield from _equalities(condition.args)
        elif (
            _is(condition, ast.A_Expr)
            and condition.kind == enums.A_Expr_Kind.AEXPR_OP
            and condition.name[-1].sval == "="
            and condition.lexpr is not None
        ):
            yield condition.lexpr, condition.rexpr


def _space_of(node: Any, aliases: Collection[str]) -> str | None:
    """The alias whose space this column is."""
    if not _is(node, ast.ColumnRef) or _column(node) != SPACE:
        return None
    if len(node.fields) > 1:
        alias = str(node.fields[0].sval)
        return alias if alias in aliases else None
    # Without an alias only where no other table could be meant.
    return next(iter(aliases)) if len(aliases) == 1 else None


def _column(node: Any) -> str:
    last = node.fields[-1]
    return str(last.sval) if _is(last, ast.String) else "*"


def _columns(node: Any) -> list[Any]:
    found = []

    class Columns(Visitor):
        def visit_ColumnRef(self, _ancestors: Ancestor, node: Any) -> None:
            found.append(node)

    Columns()(node)
    return found


def _functions(node: Any) -> list[str]:
    found = []

    class Names(Visitor):
        def visit_FuncCall(self, _ancestors: Ancestor, node: Any) -> None:
            found.append(str(node.funcname[-1].sval))

    Names()(node)
    return found


def _common_tables(statement: Any) -> set[str]:
    found = set()

    class Names(Visitor):
        def visit_CommonTableExpr(self, _ancestors: Ancestor, node: Any) -> None:
            found.add(str(node.ctename))

    Names()(statement)
    return found
