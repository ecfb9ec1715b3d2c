"""Migration 0053: names of scripts with marks get the form by which they are compared anew."""

import psycopg
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.graph import service as graph
from app.ids import create_id
from tests.conftest import Home
from tests.migrations.test_schema_history import run_alembic

WRITTEN = {"กิน": "ก น", "दिल्ली": "द ल ल", "İstanbul": "i stanbul", "مُحَمَّد": "م ح م د", "Zürich": "zürich"}


def test_names_with_marks_are_found_after_an_upgrade(
    database: Database, privileged_url: URL, home: Home
) -> None:
    nodes = {name: create_id() for name in WRITTEN}
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as owner:
        for name, node in nodes.items():
            owner.execute(
                "INSERT INTO graph_node (knowledge_space_id, id, canonical_name, node_type)"
                " VALUES (%s, %s, %s, 'Concept')",
                [home.space_id, node, name],
            )
            owner.execute(
                "INSERT INTO node_name (knowledge_space_id, normalised_name, node_id, name, kind)"
                " VALUES (%s, %s, %s, %s, 'canonical')",
                [home.space_id, WRITTEN[name], node, name],
            )
    run_alembic(privileged_url, "downgrade", "0052")
    run_alembic(privileged_url, "upgrade", "head")
    with database.open_space(home.tenant_id, home.space_id) as space:
        found = {name: [node.id for node in graph.find_nodes(space, name)] for name in (*nodes, "กัน")}
        assert found == {name: [node] for name, node in nodes.items()} | {"กัน": []}
        assert space.connection.execute("SELECT count(*) FROM node_name").fetchone() == (len(nodes),)
