-- keep_anchor: on a cluster, a new space gets its anchor, and a space that goes takes it and all content along.
CREATE OR REPLACE FUNCTION public.keep_anchor() RETURNS trigger
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO public.space_anchor (knowledge_space_id, tenant_id) VALUES (NEW.id, NEW.tenant_id);
    ELSE
        DELETE FROM public.space_anchor WHERE knowledge_space_id = OLD.id;
    END IF;
    RETURN NULL;
END $$
