"""A Postgres that answers to the names of Citus, for tests where no cluster is at hand.

It distributes nothing: every table stays whole, on one machine. What it shows is that the statements of
`citegraph distribute` run in their order, and that the product works on the keys, triggers and functions that
they leave. Whether Citus takes them only a cluster shows (`pytest --citus`).
"""

import psycopg
from sqlalchemy import URL

from app.db.engine import convert_to_conninfo

NAMES = """
SET allow_system_table_mods = on;
CREATE TABLE pg_catalog.pg_dist_partition (
    logicalrelid regclass PRIMARY KEY, partmethod "char" NOT NULL, partkey text NOT NULL,
    colocationid int NOT NULL
);
CREATE TABLE pg_catalog.pg_dist_node (
    nodeid int, nodename text, nodeport int, isactive bool, noderole text, groupid int,
    shouldhaveshards bool DEFAULT false
);
INSERT INTO pg_catalog.pg_dist_node VALUES (1, 'here', 5432, true, 'primary', 0);
-- It has no shard, and no other node to be asked.
CREATE TABLE pg_catalog.pg_dist_shard (logicalrelid regclass, shardid bigint);
CREATE TABLE pg_catalog.pg_dist_placement (shardid bigint, groupid int);
CREATE TABLE pg_catalog.pg_dist_local_group (groupid int);
INSERT INTO pg_catalog.pg_dist_local_group VALUES (0);
GRANT SELECT ON pg_catalog.pg_dist_partition, pg_catalog.pg_dist_node, pg_catalog.pg_dist_shard,
    pg_catalog.pg_dist_placement, pg_catalog.pg_dist_local_group TO PUBLIC;
CREATE FUNCTION pg_catalog.shard_name(of regclass, shard bigint) RETURNS text
LANGUAGE sql AS $$ SELECT of::text $$;
CREATE FUNCTION pg_catalog.run_command_on_all_nodes(command text, give_warning_for_connection_errors bool)
RETURNS TABLE (nodeid int, success bool, result text) LANGUAGE plpgsql AS $$
DECLARE bypasses bool;
BEGIN
    nodeid := 1; success := true; result := '{}';
    -- What is asked about shards finds none; what is asked about the role is asked here.
    IF command LIKE 'SELECT coalesce(bool_or(rolsuper%' THEN
        EXECUTE command INTO bypasses;
        result := CASE WHEN bypasses THEN 't' ELSE 'f' END;
    END IF;
    RETURN NEXT;
END $$;
CREATE FUNCTION pg_catalog.create_distributed_table(of regclass, key text, shard_count int DEFAULT 32,
    colocate_with text DEFAULT 'default') RETURNS void LANGUAGE plpgsql AS $$
DECLARE beside int;
BEGIN
    IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = of AND NOT tgisinternal) THEN
        RAISE 'has a trigger before its rows are copied';
    END IF;
    IF EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND of IN (conrelid, confrelid)) THEN
        RAISE 'has a foreign key to a table that is not distributed';
    END IF;
    SELECT colocationid INTO beside FROM pg_dist_partition WHERE logicalrelid = to_regclass(colocate_with);
    INSERT INTO pg_dist_partition
    VALUES (of, 'h', key, coalesce(beside, (SELECT count(*) + 1 FROM pg_dist_partition)));
END $$;
CREATE FUNCTION pg_catalog.truncate_local_data_after_distributing_table(of regclass) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = of) THEN
        RAISE 'is not distributed';
    END IF;
END $$;
CREATE FUNCTION pg_catalog.get_shard_id_for_distribution_column(of regclass, value anyelement) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = of) THEN
        RAISE 'relation is not distributed';
    END IF;
    RETURN 1;
END $$;
CREATE FUNCTION pg_catalog.column_to_column_name(of regclass, key text) RETURNS text
LANGUAGE sql AS $$ SELECT key $$;
-- The one shard of chunks, as word search names it.
CREATE VIEW public.knowledge_chunk_1 AS SELECT * FROM public.knowledge_chunk;
ALTER VIEW public.knowledge_chunk_1 OWNER TO citegraph_migrator;
GRANT SELECT ON public.knowledge_chunk_1 TO citegraph_search
"""


def add_names(url: URL) -> None:
    """Give the database of this superuser's URL the names that a cluster has."""
    with psycopg.connect(convert_to_conninfo(url), autocommit=True) as connection:
        connection.execute(NAMES.encode())
