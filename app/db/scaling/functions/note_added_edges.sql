-- note_added_edges: on a cluster, note the edges that a statement added, with the graph's revision.
-- What the statement added is collected into variables first: a query of a worker's shards knows no table of a trigger.
CREATE OR REPLACE FUNCTION public.note_added_edges() RETURNS trigger
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    space uuid; ids uuid[]; at bigint := coalesce(nullif(current_setting('app.graph_revision', true), '')::bigint, 0);
BEGIN
    FOR space, ids IN SELECT added.knowledge_space_id, array_agg(added.id) FROM added GROUP BY added.knowledge_space_id LOOP
        INSERT INTO public.edge_change (knowledge_space_id, id, revision, added) VALUES (space, gen_random_uuid(), at, ids);
    END LOOP;
    RETURN NULL;
END $$
