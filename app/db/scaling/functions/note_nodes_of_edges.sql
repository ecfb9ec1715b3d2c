-- note_nodes_of_edges: on a cluster, note the nodes at the ends of the edges that a statement touched.
CREATE OR REPLACE FUNCTION public.note_nodes_of_edges() RETURNS trigger
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    space uuid := nullif(current_setting('app.space_id', true), '')::uuid; ends uuid[];
BEGIN
    SELECT array_agg(node_id) INTO ends
    FROM (SELECT from_node_id FROM touched UNION SELECT to_node_id FROM touched) AS every (node_id);
    IF ends IS NOT NULL THEN
        INSERT INTO public.touched_nodes (knowledge_space_id, id, nodes) VALUES (space, gen_random_uuid(), ends);
    END IF;
    RETURN NULL;
END $$
