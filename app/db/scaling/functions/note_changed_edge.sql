-- note_changed_edge: on a cluster, note how an edge was before it changed or went, with the graph's revision.
CREATE OR REPLACE FUNCTION public.note_changed_edge() RETURNS trigger
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    at bigint := coalesce(nullif(current_setting('app.graph_revision', true), '')::bigint, 0);
    live boolean := OLD.deleted_at IS NULL AND OLD.invalidated_at IS NULL;
BEGIN
    INSERT INTO public.edge_change (knowledge_space_id, id, revision, added, edge_id, from_node_id, to_node_id, weight,
        relation_type)
    VALUES (OLD.knowledge_space_id, gen_random_uuid(), at, CASE WHEN live THEN '{}'::uuid[] ELSE ARRAY[OLD.id] END,
        CASE WHEN live THEN OLD.id END, OLD.from_node_id, OLD.to_node_id, OLD.weight, OLD.relation_type);
    RETURN NULL;
END $$
