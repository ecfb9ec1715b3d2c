"""The tables of a space's shard on a node of a Citus cluster, and statements that read them.

A statement that reads them directly is planned once, and its plan can be kept; through the coordinator it is
planned there and on the node, each time (docs/decisions/0124).
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from app.db.sql import load_statement
from app.db.table_distribution import LOCAL_TABLES, SHARDED


class Node(NamedTuple):
    """A Citus node with shards: the number of its group, and its address in the coordinator's metadata."""

    group: int
    host: str
    port: int


class ShardTables(NamedTuple):
    """The tables of a space's content: the Citus node, the shard of the table of graph nodes, and the name of
    each table's shard.
    """

    node: Node
    shard_id: int
    names: tuple[tuple[str, str], ...]


_COMMENTS = re.compile(r"--[^\n]*|'(?:[^']|'')*'")
_READ_TABLES = re.compile(r"\b(?:FROM|JOIN)\s+(?:public\.)?(\w+)\b(?!\()")
_CHANGES = re.compile(
    r"\b(?:INSERT|UPDATE|DELETE|MERGE|SHARE|TRUNCATE|LOCK|SET|nextval|pg_\w*lock\w*|set_config)\b"
)
# What follows a table is its alias where it is a word in lower case, as this house writes them.
_RENAMED_TABLE = re.compile(rb"\b(FROM|JOIN)(\s+)(?:public\.)?([a-z_]+)\b(?![(.])(\s+AS\b|\s+[a-z_])?")
_REGCLASS = re.compile(rb"\bto_regclass\('([a-z_]+)'\)")


@lru_cache(maxsize=1_000)
def reads_only_shards(statement_name: str) -> bool:
    """Return whether the named statement only reads, and only content of spaces."""
    text = _COMMENTS.sub(" ", load_statement(statement_name))
    tables = set(_READ_TABLES.findall(text))
    return bool(tables & SHARDED) and not tables & LOCAL_TABLES and _CHANGES.search(text) is None


@lru_cache(maxsize=10_000)
def replace_tables_by_shards(text: bytes, tables: ShardTables) -> bytes:
    """Return a statement that `reads_only_shards`, on the node's tables instead of distributed ones."""
    names: Mapping[str, str] = dict(tables.names)

    def rename(match: re.Match[bytes]) -> bytes:
        table = match[3].decode()
        if table not in names:
            return match[0]
        alias = match[4] or b" AS " + match[3]
        return match[1] + match[2] + names[table].encode() + alias

    text_with_shards = _REGCLASS.sub(
        lambda match: b"to_regclass('public." + names[match[1].decode()].encode() + b"')", text
    )
    return _RENAMED_TABLE.sub(rename, text_with_shards)
