-- note_size: on a cluster, add what a statement added to a space or took from it; a space that goes notes nothing.
CREATE OR REPLACE FUNCTION public."{name}"() RETURNS trigger
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner uuid; size record;
BEGIN
    FOR size IN SELECT changed.knowledge_space_id AS space, {values} FROM {rows} GROUP BY changed.knowledge_space_id LOOP
        SELECT anchor.tenant_id INTO owner FROM public.space_anchor AS anchor WHERE anchor.knowledge_space_id = size.space;
        IF FOUND THEN
            INSERT INTO public.space_size (tenant_id, knowledge_space_id, id, {columns})
            VALUES (owner, size.space, gen_random_uuid(), {sizes});
        END IF;
    END LOOP;
    RETURN NULL;
END $$
