-- note_hidden_node: on a cluster, note a node that was hidden or shown, with the graph's revision.
CREATE OR REPLACE FUNCTION public.note_hidden_node() RETURNS trigger
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$
DECLARE at bigint := coalesce(nullif(current_setting('app.graph_revision', true), '')::bigint, 0);
BEGIN
    INSERT INTO public.edge_change (knowledge_space_id, id, revision, node_id)
    VALUES (OLD.knowledge_space_id, gen_random_uuid(), at, OLD.id);
    RETURN NULL;
END $$
