-- note_nodes_of_edge: on a cluster, note the nodes at the ends that an edge had and has.
CREATE OR REPLACE FUNCTION public.note_nodes_of_edge() RETURNS trigger
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO public.touched_nodes (knowledge_space_id, id, nodes) VALUES (OLD.knowledge_space_id, gen_random_uuid(),
        ARRAY[OLD.from_node_id, OLD.to_node_id, NEW.from_node_id, NEW.to_node_id]);
    RETURN NULL;
END $$
